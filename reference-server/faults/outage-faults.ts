import { modelNotFound } from '../gateway/gateway-error.ts'
import type { Model } from '../gateway/models.ts'
import type { Call, Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { asJson, isStream, refusal } from './tools.ts'

/** Answers with another status where no node serves the model. */
function outageIs(status: number, when: (call: Call) => boolean = () => true): Wrap {
  return {
    chooseNode: (real) => (model, call) => {
      const node = real(model, call)
      if (node === undefined && when(call)) throw refusal(status)
      return node
    },
  }
}

/** Answers a model without nodes in full. */
function outage(answer: (call: Call) => void | Promise<void>): Wrap {
  return {
    serve: (real) => async (call) => {
      await real(call)
      if (outages.has(call)) await answer(call)
    },
  }
}

/** Serves a model of another name for one that is not known. */
function knowing(other: (id: string, call: Call) => string | undefined): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const model: Model | undefined = real(id, call)
      const name = model === undefined ? other(id, call) : undefined
      return name === undefined ? model : real(name, call)
    },
  }
}

/** Answers with another status where the model is not known. */
function unknownIs(status: number, when: (call: Call) => boolean = () => true): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const model = real(id, call)
      if (model === undefined && when(call)) throw refusal(status)
      return model
    },
  }
}
