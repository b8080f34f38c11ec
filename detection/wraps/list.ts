import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { asJson, type Json } from './json.ts'

/** Changes each model of the model list. */
export function changingListedModels(change: (model: Json, index: number) => unknown): Wrap {
  return changingList((list) => ({
    ...list,
    data: (Array.isArray(list['data']) ? list['data'] : []).map((model, index) => change(asJson(model), index)),
  }))
}

/** Changes the whole JSON object of the model list. */
export function changingList(change: (list: Json, call: Call) => unknown): Wrap {
  return { listModels: (real) => (models, call) => change(asJson(real(models, call)), call) }
}

/** Serves the models under other or additional ids. `inner` gives the id that the network knows. */
export function renamingModels(inner: (id: string) => string | undefined): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const known = inner(id)
      const model = known === undefined ? undefined : real(known, call)
      return model === undefined ? undefined : { ...model, id }
    },
    chooseNode: (real) => (model, call) => real({ ...model, id: inner(model.id) ?? model.id }, call),
  }
}

/** Changes which models the model list holds, and in which order. */
export function changingListData(change: (models: readonly unknown[], call: Call) => readonly unknown[]): Wrap {
  return {
    listModels: (real) => (models, call) => {
      const list = asJson(real(models, call))
      return { ...list, data: change(Array.isArray(list['data']) ? list['data'] : [], call) }
    },
  }
}
