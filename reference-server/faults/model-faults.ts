import type { Call, Wrap } from '../gateway/seams.ts'
import type { Fault } from './fault.ts'
import { asJson, isStream, type Json, listed, lists, refusal } from './tools.ts'

const isBrief = ({ body }: Call): boolean => body?.tokensMax === 1

/** Lists the models that were gone for a while in another way. */
function listingReturned(change: (model: Json) => readonly unknown[]): Wrap {
  const seen = new Set<unknown>()
  const gone = new Set<unknown>()
  return lists((list) => {
    const data = Array.isArray(list['data']) ? list['data'].map(asJson) : []
    const ids = new Set(data.map(({ id }) => id))
    for (const id of seen) if (!ids.has(id)) gone.add(id)
    for (const id of ids) seen.add(id)
    return { ...list, data: data.flatMap((model) => (gone.has(model['id']) ? change(model) : [model])) }
  })
}

/** Faults of the model list. */
export const modelFaults = {
  'models-list-is-404': {
    about: 'There is no model list.',
    breaks: ['models.names-a-model', 'version.routes-under-prefix'],
    wrap: () => ({
      listHead: (real) => (call) => ({ ...real(call), status: 404 }),
      listModels: () => () => ({ error: 'not here' }),
    }),
  },
  'models-list-empty': {
    about: 'The model list is empty.',
    breaks: ['models.names-a-model'],
    wrap: () => lists((list) => ({ ...list, data: [] })),
  },
  'models-list-bare-array': {
    about: 'The model list is a bare array.',
    breaks: ['models.object', 'models.data'],
    wrap: () => lists((list) => list['data']),
  },
  'models-under-another-name': {
    about: 'The models are in `models`.',
    breaks: ['models.data'],
    wrap: () => lists(({ data, ...list }) => ({ ...list, models: data })),
  },
  'models-object-wrong': {
    about: 'The object of the list is models.',
    breaks: ['models.object'],
    wrap: () => lists((list) => ({ ...list, object: 'models' })),
  },
  'models-id-missing-on-last': {
    about: 'The last model of the list has no id.',
    breaks: ['models.id'],
    wrap: () => listed((model, index) => (index === 2 ? { ...model, id: undefined } : model)),
  },
  'models-element-object-missing': {
    about: 'Models have no object.',
    breaks: ['models.element-object'],
    wrap: () => listed(({ object: _, ...model }) => model),
  },
  'models-owner-missing': {
    about: 'Models have no owner.',
    breaks: ['models.owned-by'],
    wrap: () => listed(({ owned_by: _, ...model }) => model),
  },
  'models-owner-missing-on-one': {
    about: 'One model has an owner of null.',
    breaks: ['models.owned-by'],
    wrap: () => listed((model, index) => (index === 1 ? { ...model, owned_by: null } : model)),
  },
  'models-pricing-missing-on-one': {
    about: 'The newest model has no price.',
    breaks: ['models.pricing', 'models.pricing-unit'],
    wrap: () => listed((model, index) => (index === 2 ? { ...model, pricing: undefined } : model)),
  },
  'models-prices-as-strings': {
    about: 'Prices are strings.',
    breaks: ['models.pricing'],
    wrap: () =>
      listed((model) => ({ ...model, pricing: { prompt: '0.10', completion: '0.10', unit: 'per_million_tokens' } })),
  },
  'models-completion-price-missing': {
    about: 'Completion prices are missing.',
    breaks: ['models.pricing'],
    wrap: () => listed((model) => ({ ...model, pricing: { prompt: 0.1, unit: 'per_million_tokens' } })),
  },
  'models-unit-missing': {
    about: 'Prices have no unit.',
    breaks: ['models.pricing-unit', 'billing.each-model-at-its-price'],
    wrap: () => listed((model) => ({ ...model, pricing: { prompt: 0.1, completion: 0.1 } })),
  },
  'models-unit-otherwise': {
    about: 'The unit is spelt per_1m_tokens.',
    breaks: ['models.pricing-unit', 'billing.each-model-at-its-price'],
    wrap: () => listed((model) => ({ ...model, pricing: { prompt: 0.1, completion: 0.1, unit: 'per_1m_tokens' } })),
  },
  'models-price-negative': {
    about: 'A price of -1 stands for "varies".',
    breaks: ['models.price-not-negative'],
    wrap: () =>
      listed((model, index) =>
        index === 1 ? { ...model, pricing: { prompt: -1, completion: -1, unit: 'per_million_tokens' } } : model,
      ),
  },
  'models-price-per-token': {
    about: 'Prices are a token under a unit of a million tokens.',
    breaks: ['models.price-plausible', 'billing.reply-charged'],
    wrap: () =>
      listed((model) => ({ ...model, pricing: { prompt: 1e-7, completion: 1e-7, unit: 'per_million_tokens' } })),
  },
  'models-price-times-a-million': {
    about: 'Prices are multiplied by a million once too often.',
    breaks: ['models.price-plausible'],
    wrap: () =>
      listed((model) => ({ ...model, pricing: { prompt: 100_000, completion: 100_000, unit: 'per_million_tokens' } })),
  },
  'models-listed-twice': {
    about: 'A model that two nodes serve is listed twice.',
    breaks: ['models.ids-unique'],
    wrap: () => lists((list) => ({ ...list, data: [list['data'], list['data']].flat() })),
  },
  'models-unserved-listed': {
    about: 'A model without nodes is listed.',
    breaks: ['models.unavailable-not-listed'],
    wrap: () =>
      lists((list) => ({
        ...list,
        data: [
          list['data'],
          {
            id: 'dormant',
            object: 'model',
            owned_by: 'assay',
            pricing: { prompt: 0.1, completion: 0.1, unit: 'per_million_tokens' },
          },
        ].flat(),
      })),
  },
  'models-placeholder-listed': {
    about: 'A made-up model is listed.',
    breaks: ['reply.model-each'],
    wrap: () =>
      lists((list) => ({
        ...list,
        data: [
          list['data'],
          {
            id: 'default',
            object: 'model',
            owned_by: 'assay',
            pricing: { prompt: 0.9, completion: 0.9, unit: 'per_million_tokens' },
          },
        ].flat(),
      })),
  },
  'models-as-text': {
    about: 'The list is labelled as text.',
    breaks: ['models.content-type'],
    wrap: () => ({ listHead: () => () => ({ status: 200, headers: { 'content-type': 'text/plain' } }) }),
  },
  'models-fail-in-parallel': {
    about: 'Two requests for the list at once fail the second.',
    breaks: ['models.stable'],
    wrap: () => {
      let busy = 0
      return {
        serve: (real) => async (call) => {
          if (!call.request.url?.endsWith('/models')) return real(call)
          busy += 1
          if (busy > 2) call.response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}')
          else {
            await new Promise((done) => setTimeout(done, 8))
            await real(call)
          }
          busy -= 1
        },
      }
    },
  },
  'chunk-index-counts-in-streams-of-one-model': {
    about: 'One model numbers the chunks of a stream as choices.',
    breaks: ['chunk.index'],
    wrap: () => ({
      chunk: (real) => (parts, call) => {
        const chunk = asJson(real(parts, call))
        return parts.model === 'large' && isStream(call)
          ? {
              ...chunk,
              choices: [
                { ...asJson(Array.isArray(chunk['choices']) ? chunk['choices'][0] : {}), index: parts.position },
              ],
            }
          : chunk
      },
    }),
  },
  'list-null-when-empty': {
    about: 'A list without a model is null.',
    breaks: ['models.none-left'],
    wrap: () =>
      lists((list) => ({
        ...list,
        data: Array.isArray(list['data']) && list['data'].length > 0 ? list['data'] : null,
      })),
  },
  'listed-twice-when-back': {
    about: 'A model that was gone for a while stands in the list twice.',
    breaks: ['model.down-and-up'],
    wrap: () => listingReturned((model) => [model, model]),
  },
  'list-fails-when-one-is-down': {
    about: 'As long as any known model has no node, the list is answered with 503.',
    breaks: ['models.names-a-model'],
    wrap: () =>
      lists(() => {
        throw refusal(503)
      }),
  },
  'list-fails-for-limited-keys': {
    about: 'The list crashes for a key that has limits.',
    breaks: ['models.for-every-key'],
    wrap: () => ({
      listModels: (real) => (models, call) => {
        if (call.caller?.key.requestsPerMinute !== undefined) throw refusal(500)
        return real(models, call)
      },
    }),
  },
  'free-when-back': {
    about: 'A model that was gone for a while is listed without its price.',
    breaks: ['model.down-and-up'],
    wrap: () =>
      listingReturned((model) => [{ ...model, pricing: { prompt: '0', completion: '0', unit: 'per_million_tokens' } }]),
  },
  'tag-of-a-model-is-ignored': {
    about: 'What follows a colon in the id of a model is not looked at.',
    breaks: ['unknown-model.refused'],
    wrap: () => ({ findModel: (real) => (id, call) => real(id.split(':')[0] ?? id, call) }),
  },
  'folder-of-a-model-is-ignored': {
    about: 'Of the id of a model the part behind its last solidus is looked at alone.',
    breaks: ['unknown-model.refused'],
    wrap: () => ({ findModel: (real) => (id, call) => real(id.split('/').at(-1) ?? id, call) }),
  },
  'short-replies-need-no-node': {
    about: 'A model without a node answers requests for one token.',
    breaks: ['unavailable.whatever-is-asked'],
    wrap: () => ({
      findModel: (real) => (id, call) => real(isBrief(call) && real(id, call) === undefined ? 'small' : id, call),
      chooseNode: (real) => (model, call) =>
        real(model, call) ?? (isBrief(call) ? real({ ...model, id: 'small' }, call) : undefined),
    }),
  },
  'list-fails-in-an-outage': {
    about: 'While a model is down that was up before, the list is answered with 503.',
    breaks: ['model.down-and-up'],
    follows: ['models.none-left'],
    wrap: () => {
      let most = 0
      return {
        listModels: (real) => (models, call) => {
          const list = asJson(real(models, call))
          const count = Array.isArray(list['data']) ? list['data'].length : 0
          most = Math.max(most, count)
          if (count < most) throw refusal(503)
          return list
        },
      }
    },
  },
} as const satisfies Record<string, Fault>
