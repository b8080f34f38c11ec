import { changingList, changingListedModels } from '../../wraps/list.ts'
import { refusal } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.5-model-list.ts` must notice. */
export const modelListFaults = {
  'models-list-is-404': {
    about: 'There is no model list: a request for it gets 404.',
    breaks: ['models.names-a-model', 'version.routes-under-prefix'],
    wrap: () => ({
      listHead: (real) => (call) => ({ ...real(call), status: 404 }),
      listModels: () => () => ({ error: 'not here' }),
    }),
  },
  'models-list-empty': {
    about: 'The model list is empty.',
    breaks: ['models.names-a-model'],
    wrap: () => changingList((list) => ({ ...list, data: [] })),
  },
  'models-list-bare-array': {
    about: 'The model list is a bare array.',
    breaks: ['models.object', 'models.data'],
    wrap: () => changingList((list) => list['data']),
  },
  'models-under-another-name': {
    about: 'The list of models is in the field `models`, not `data`.',
    breaks: ['models.data'],
    wrap: () => changingList(({ data, ...list }) => ({ ...list, models: data })),
  },
  'models-object-wrong': {
    about: 'The object of the model list is `models`.',
    breaks: ['models.object'],
    wrap: () => changingList((list) => ({ ...list, object: 'models' })),
  },
  'models-id-missing-on-last': {
    about: 'The last model of the list has no id.',
    breaks: ['models.id'],
    wrap: () => changingListedModels((model, index) => (index === 2 ? { ...model, id: undefined } : model)),
  },
  'models-element-object-missing': {
    about: 'Models in the list have no object.',
    breaks: ['models.element-object'],
    wrap: () => changingListedModels(({ object: _, ...model }) => model),
  },
  'models-owner-missing': {
    about: 'Models in the list have no owned_by.',
    breaks: ['models.owned-by'],
    wrap: () => changingListedModels(({ owned_by: _, ...model }) => model),
  },
  'models-owner-missing-on-one': {
    about: 'One model in the list has an owned_by of null.',
    breaks: ['models.owned-by'],
    wrap: () => changingListedModels((model, index) => (index === 1 ? { ...model, owned_by: null } : model)),
  },
  'models-pricing-missing-on-one': {
    about: 'The newest model in the list has no price.',
    breaks: ['models.pricing'],
    wrap: () => changingListedModels((model, index) => (index === 2 ? { ...model, pricing: undefined } : model)),
  },
  'models-prices-as-strings': {
    about: 'Prices are strings.',
    breaks: ['models.pricing'],
    wrap: () =>
      changingListedModels((model) => ({
        ...model,
        pricing: { prompt: '0.10', completion: '0.10', unit: 'per_million_tokens' },
      })),
  },
  'models-completion-price-missing': {
    about: 'Models have no completion price.',
    breaks: ['models.pricing'],
    wrap: () => changingListedModels((model) => ({ ...model, pricing: { prompt: 0.1, unit: 'per_million_tokens' } })),
  },
  'models-unit-missing': {
    about: 'Prices have no unit.',
    breaks: ['models.pricing-unit', 'billing.each-model-at-its-price'],
    wrap: () => changingListedModels((model) => ({ ...model, pricing: { prompt: 0.1, completion: 0.1 } })),
  },
  'models-unit-otherwise': {
    about: 'The unit of prices is spelt per_1m_tokens.',
    breaks: ['models.pricing-unit', 'billing.each-model-at-its-price'],
    wrap: () =>
      changingListedModels((model) => ({ ...model, pricing: { prompt: 0.1, completion: 0.1, unit: 'per_1m_tokens' } })),
  },
  'models-price-negative': {
    about: 'A price of -1 means "varies".',
    breaks: ['models.price-not-negative'],
    wrap: () =>
      changingListedModels((model, index) =>
        index === 1 ? { ...model, pricing: { prompt: -1, completion: -1, unit: 'per_million_tokens' } } : model,
      ),
  },
  'models-price-per-token': {
    about: 'Prices are per token, although their unit says per million tokens.',
    breaks: ['models.price-plausible', 'billing.reply-charged'],
    wrap: () =>
      changingListedModels((model) => ({
        ...model,
        pricing: { prompt: 1e-7, completion: 1e-7, unit: 'per_million_tokens' },
      })),
  },
  'models-price-times-a-million': {
    about: 'Prices are a million times too high.',
    breaks: ['models.price-plausible'],
    wrap: () =>
      changingListedModels((model) => ({
        ...model,
        pricing: { prompt: 100_000, completion: 100_000, unit: 'per_million_tokens' },
      })),
  },
  'models-listed-twice': {
    about: 'A model that two nodes serve is listed twice.',
    breaks: ['models.ids-unique'],
    wrap: () => changingList((list) => ({ ...list, data: [list['data'], list['data']].flat() })),
  },
  'models-unserved-listed': {
    about: 'A model without a node is listed.',
    breaks: ['models.unavailable-not-listed'],
    wrap: () =>
      changingList((list) => ({
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
  'list-fails-when-one-is-down': {
    about: 'The model list is answered with 503 while any known model has no node.',
    breaks: ['models.names-a-model'],
    wrap: () =>
      changingList(() => {
        throw refusal(503)
      }),
  },
} as const satisfies Record<string, Fault>
