import { unfundedName } from '../../reference-server/demo.ts'
import { insufficientFunds } from '../../reference-server/gateway/gateway-error.ts'
import type { Call } from '../../reference-server/gateway/seams.ts'
import { deriveKey } from '../../reference-server/keys/key.ts'
import type { PicoUsd } from '../../reference-server/ledger/money.ts'
import type { KeyRecord } from '../../reference-server/store/store.ts'
import { asJson } from '../wraps/json.ts'
import { takingKeysFrom } from '../wraps/key.ts'
import { changingList, changingListData, changingListedModels, renamingModels } from '../wraps/list.ts'
import { priced, priceTag } from '../wraps/prices.ts'
import type { Variant } from './variant.ts'

/** Serves the model `tiny`. */
const newcomer = renamingModels((id) => (id === 'tiny-new' ? 'small' : id))

const ordinaryWord = 'rain'
const firstKey = deriveKey('assay', 1, 'first').key

/** The caller of a request for the list without a key. */
const guest: KeyRecord = { id: 'guest', accountId: 'guest', name: 'guest', hash: '', createdAt: 0 }

/** Legal gateways with unusual keys, accounts and model lists. */
export const accessVariants = {
  'models-list-needs-no-key': {
    reported: true,
    about: 'The model list is open to everybody; the contract does not show whether it needs a key.',
    wrap: () => ({
      authenticate: (real) => (call) => (isList(call) ? { key: guest } : real(call)),
    }),
  },
  'models-list-open-unless-bad-key': {
    about: 'The model list is open without a key but refuses a wrong key; the contract shows neither.',
    wrap: () => ({
      authenticate: (real) => (call) =>
        isList(call) && call.request.headers.authorization === undefined ? { key: guest } : real(call),
    }),
  },
  'key-in-x-api-key': {
    reported: true,
    about: 'A key in x-api-key is accepted too; the bearer key works as the contract says.',
    group: 'key-place',
    wrap: () => takingKeysFrom(({ request }) => request.headers['x-api-key']?.toString()),
  },
  'key-after-basic': {
    reported: true,
    about:
      'A key after Basic, not encoded, is accepted too, as tracing tools send it; the whole key is needed all the same.',
    group: 'key-place',
    wrap: () => ({
      authenticate: (real) => (call) => {
        const { rawHeaders } = call.request
        const place = rawHeaders.findIndex((text) => text.startsWith('Basic sk-'))
        if (place > 0) rawHeaders[place] = rawHeaders[place]?.replace('Basic', 'Bearer') ?? ''
        return real(call)
      },
    }),
  },
  'key-with-a-channel': {
    reported: true,
    about: 'A number behind a key and a dash chooses a channel; the whole key is needed all the same.',
    wrap: () => ({
      findKey: (real) => (presented, call) => real(presented, call) ?? real(presented.replace(/-\d{1,3}$/, ''), call),
    }),
  },
  'key-is-a-word': {
    reported: true,
    about: 'The key is a word that any text may hold, as with mock servers; such a text leaks nothing.',
    group: 'key-place',
    given: { key: ordinaryWord },
    wrap: () => ({
      findKey: (real) => (presented, call) => real(presented === ordinaryWord ? firstKey : presented, call),
    }),
  },
  'key-in-query': {
    reported: true,
    about: 'A key in the query string is accepted too; the bearer key works as the contract says.',
    group: 'key-place',
    wrap: () => takingKeysFrom(({ request }) => /[?&]key=([^&]+)/.exec(request.url ?? '')?.[1]),
  },
  'unfunded-refused-before-body': {
    about: 'An account without funds is refused before its body is read; the contract sets no order of refusals.',
    wrap: () => ({
      authenticate: (real) => (call) => {
        const caller = real(call)
        if (caller.key.name === unfundedName && !isList(call)) throw insufficientFunds()
        return caller
      },
    }),
  },
  'unfunded-may-not-list': {
    about: 'An account without funds may not list models either; the contract does not say what it may do.',
    wrap: () => ({
      authenticate: (real) => (call) => {
        const caller = real(call)
        if (caller.key.name === unfundedName) throw insufficientFunds()
        return caller
      },
    }),
  },
  'model-served-unlisted': {
    reported: true,
    about: 'A model answers that the list never names, as with mock servers; it has not vanished from the list.',
    group: ['models', 'prices'],
    given: { model: 'small' },
    wrap: () => changingListData((models) => models.filter((model) => asJson(model)['id'] !== 'small')),
  },
  'models-with-extra-fields': {
    reported: true,
    about: 'Models carry permissions, a state and context lengths; extra fields are welcome.',
    wrap: () =>
      changingListedModels((model) => ({
        ...model,
        permission: [],
        root: model['id'],
        parent: null,
        context_length: 131_072,
        state: 'loaded',
        architecture: { modality: 'text->text' },
      })),
  },
  'models-bare': {
    about: 'Models have only the four fields of the contract.',
    wrap: () => changingListedModels(({ id, object, owned_by, pricing }) => ({ id, object, owned_by, pricing })),
  },
  'models-list-with-extra-fields': {
    about: 'The list carries paging fields that say it is complete; extra fields are welcome.',
    wrap: () => changingList((list) => ({ ...list, has_more: false, first_id: null, total: 3 })),
  },
  'models-in-another-order': {
    about: 'The list is in a different order every time; the contract shows no order.',
    group: 'models',
    wrap: () => changingListData((models, { number }) => (number % 2 === 0 ? models : models.toReversed())),
  },
  'models-more': {
    reported: true,
    about: 'The list has one model more than the three tiers; models are added over time.',
    group: ['models', 'prices'],
    wrap: () => ({ ...changingListData((models) => [...models, tiny(models)]), ...newcomer }),
  },
  'models-with-an-alias': {
    reported: true,
    about: 'The list has an alias, auto, and its replies name the model that was chosen: the model that was used.',
    group: ['models', 'prices'],
    wrap: () => ({
      ...changingListData((models) => [...models, { ...asJson(models[0]), id: 'auto' }]),
      findModel: (real) => (id, call) => real(id === 'auto' ? 'small' : id, call),
    }),
  },
  'models-listed-with-their-provider-too': {
    reported: true,
    about: 'The list has each model twice, as small and as north/small, and the replies of both name small.',
    group: ['models', 'prices'],
    wrap: () => ({
      ...changingListData((models) =>
        models.flatMap((model) => [model, { ...asJson(model), id: `north/${asJson(model)['id']}` }]),
      ),
      findModel: (real) => (id, call) => real(id.replace(/^north\//, ''), call),
    }),
  },
  'models-change-during-the-run': {
    reported: true,
    about: 'A model comes and goes in the list; models change as operators deploy them.',
    group: 'models',
    wrap: () => ({
      ...changingListData((models, { number }) => (number % 3 === 0 ? [tiny(models), ...models] : models)),
      ...newcomer,
    }),
  },
  'models-one': {
    reported: true,
    about: 'The list has only one model; it is the list that says which models are available.',
    group: 'models',
    wrap: () => ({
      ...changingListData((models) => models.slice(0, 1)),
      ...renamingModels((id) => (id === 'medium' || id === 'large' ? undefined : id)),
    }),
  },
  'model-ids-with-slashes': {
    about: 'Model ids contain an owner, a slash, a colon and a dot; an id is an opaque string.',
    group: 'models',
    wrap: () => ({
      ...changingListedModels((model) =>
        model['id'] === 'scripted' ? model : { ...model, id: `north.ai/${String(model['id'])}-3.5:free` },
      ),
      ...renamingModels((id) => /^north\.ai\/(\w+)-3\.5:free$/.exec(id)?.[1] ?? (isFixed(id) ? id : undefined)),
    }),
  },
  'model-ids-outside-ascii': {
    about: 'Model ids contain spaces, quotes and letters outside ASCII; an id is an opaque string.',
    group: 'models',
    wrap: () => ({
      ...changingListedModels((model) =>
        model['id'] === 'scripted' ? model : { ...model, id: `模型 "${String(model['id'])}" é\\1` },
      ),
      ...renamingModels((id) => /^模型 "(\w+)" é\\1$/.exec(id)?.[1] ?? (isFixed(id) ? id : undefined)),
    }),
  },
  'model-prices-zero': {
    reported: true,
    about: 'One model costs nothing; 0 is a number and free is a price.',
    group: 'prices',
    wrap: () => ({
      ...priced((index) => (index === 0 ? [0, 0] : undefined)),
      // Free or not, an account without funds may ask for nothing.
      hold: (real) => (most, caller, call) => real(most === 0n ? (1n as PicoUsd) : most, caller, call),
    }),
  },
  'model-prices-whole': {
    reported: true,
    about: 'Prices are whole numbers; a whole number is a number.',
    group: 'prices',
    wrap: () => priced((index) => [index + 1, index + 1]),
  },
  'model-prices-differ': {
    about: 'Completion tokens cost more than prompt tokens; the contract leaves prices open.',
    group: 'prices',
    wrap: () => priced(() => [0.15, 0.75]),
  },
  'model-prices-tiny': {
    about: 'Prices are a tenth of a cent per million tokens; the contract sets no lowest price.',
    group: 'prices',
    wrap: () => priced(() => [0.001, 0.001]),
  },
  'model-prices-of-more-kinds': {
    reported: true,
    about: 'Prices also name cache reads and images; extra fields are welcome.',
    group: 'prices',
    wrap: () =>
      changingListedModels((model) => ({
        ...model,
        pricing: { ...asJson(model['pricing']), cache_read: 0.01, image: null },
      })),
  },
} as const satisfies Record<string, Variant>

function isList({ request }: Call): boolean {
  return /^\/api\/v1\/models(\?|$)/.test(request.url ?? '')
}

/** A further model for the list, which the nodes of another one serve. */
function tiny(list: readonly unknown[]): unknown {
  return { ...asJson(list[0]), id: 'tiny-new', pricing: priceTag(0.1) }
}

/** Whether the run names this id itself, so that it has to stay. */
function isFixed(id: string): boolean {
  return id === 'dormant' || id === 'scripted'
}
