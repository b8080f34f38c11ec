import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { asJson, type Json } from './json.ts'

/** Changes the elements of the model list. */
export function listed(change: (model: Json, index: number) => unknown): Wrap {
  return lists((list) => ({
    ...list,
    data: (Array.isArray(list['data']) ? list['data'] : []).map((model, index) => change(asJson(model), index)),
  }))
}

export function lists(change: (list: Json, call: Call) => unknown): Wrap {
  return { listModels: (real) => (models, call) => change(asJson(real(models, call)), call) }
}

/** The models under other ids, or under more of them. `inner` gives the id that the network knows. */
export function renaming(inner: (id: string) => string | undefined): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const known = inner(id)
      const model = known === undefined ? undefined : real(known, call)
      return model === undefined ? undefined : { ...model, id }
    },
    chooseNode: (real) => (model, call) => real({ ...model, id: inner(model.id) ?? model.id }, call),
  }
}

/** Changes the list of the model list's elements. */
export function modelLists(change: (models: readonly unknown[], call: Call) => readonly unknown[]): Wrap {
  return {
    listModels: (real) => (models, call) => {
      const list = asJson(real(models, call))
      return { ...list, data: change(Array.isArray(list['data']) ? list['data'] : [], call) }
    },
  }
}
