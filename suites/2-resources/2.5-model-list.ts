import type { JudgingFields } from '../../src/check/check.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckId } from '../../src/check/check-ids.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { modelListSchema, pricingSchema } from '../../src/contract/model-list.ts'
import { mismatches, mismatchesAt } from '../../src/contract/schema.ts'
import { at, isRecord, listAt, numberAt, textAt } from '../../src/json.ts'
import type { Answer } from '../../src/target/answer.ts'
import { plausiblePriceMax, readRoster } from '../../src/target/roster.ts'

/** A check of each element of the list. */
function onEveryModel(
  fields: Pick<JudgingFields, 'states' | 'wrong' | 'why' | 'fix'>,
  look: (expect: CheckContext['expect'], model: unknown, answer: Answer) => void,
  dependsOn: readonly CheckId[] = ['models.data'],
): JudgingFields {
  return {
    ...fields,
    phase: 'first',
    dependsOn,
    cost: { requests: 0, tokens: 0 },
    async run({ modelList, expect }) {
      const answer = await modelList()
      const models = listAt(answer.json, 'data')
      expect('models in the list', models.length, answer).isAtLeast(1)
      for (const model of models) look(expect, model, answer)
    },
  }
}

const named = (model: unknown): string => `of ${textAt(model, 'id') ?? 'a model without an id'}`

export const modelListing = clause('2.5', [
  must('models.names-a-model', {
    states: ['list-has-available-models'],
    phase: 'first',
    cost: { requests: 0, tokens: 0 },
    wrong: 'The model list was not served, or names no model.',
    why: 'Clients have nothing to ask for when the list holds no id.',
    fix: 'Answer GET /models with the models that nodes serve now.',
    async run({ modelList, expect }) {
      const answer = await modelList()
      expect('status of the model list', answer.status, answer).is(200)
      expect('ids in the model list', readRoster(answer.json).length, answer).isAtLeast(1)
    },
  }),
  must('models.object', {
    states: ['list-object'],
    phase: 'first',
    dependsOn: ['models.names-a-model'],
    cost: { requests: 0, tokens: 0 },
    wrong: 'The object of the model list is missing or not list, or the list is no object.',
    why: 'Typed clients check `object` before they read `data`.',
    fix: 'Wrap the models in {"object": "list", "data": […]}.',
    async run({ modelList, expect }) {
      const answer = await modelList()
      const wrong = mismatchesAt(modelListSchema, answer.json, /^\/object|^the whole value (?!.*'data')/)
      expect('schema violations of the list as a whole', wrong, answer).is([])
    },
  }),
  must('models.data', {
    states: ['list-data'],
    phase: 'first',
    dependsOn: ['models.names-a-model'],
    cost: { requests: 0, tokens: 0 },
    wrong: 'The data of the model list is missing, empty, or not made of objects.',
    why: 'Clients of the format read the models from `data`, and find none elsewhere.',
    fix: 'Put the models into `data`, an array of objects.',
    async run({ modelList, expect }) {
      const answer = await modelList()
      const models = listAt(answer.json, 'data')
      expect('models in data', models.length, answer).isAtLeast(1)
      expect('elements of data that are objects', models.filter(isRecord).length, answer).is(models.length)
    },
  }),
  must(
    'models.id',
    onEveryModel(
      {
        states: ['model-id'],
        wrong: 'A listed model has no id that is text.',
        why: 'Clients cannot ask for a model without an id.',
        fix: 'Give every model an id that is a non-empty string.',
      },
      (expect, model, answer) =>
        expect('id of a model', at(model, 'id'), answer).satisfies(
          'a non-empty string',
          (textAt(model, 'id') ?? '') !== '',
        ),
    ),
  ),
  must(
    'models.element-object',
    onEveryModel(
      {
        states: ['model-object'],
        wrong: 'The object of a listed model is not model.',
        why: 'Typed clients refuse an element whose `object` is not model.',
        fix: 'Set `object` of every element to model.',
      },
      (expect, model, answer) => expect(`object ${named(model)}`, at(model, 'object'), answer).is('model'),
    ),
  ),
  must(
    'models.owned-by',
    onEveryModel(
      {
        states: ['model-owned-by'],
        wrong: 'A listed model does not say who provides it.',
        why: 'Clients in several languages crash on an element without an owner.',
        fix: 'Name the organization that provides the model in `owned_by`.',
      },
      (expect, model, answer) =>
        expect(`owned_by ${named(model)}`, at(model, 'owned_by'), answer).satisfies(
          'a non-empty string',
          (textAt(model, 'owned_by') ?? '') !== '',
        ),
    ),
  ),
  must(
    'models.pricing',
    onEveryModel(
      {
        states: ['model-pricing'],
        wrong: 'The prices of a listed model are missing or malformed.',
        why: 'Clients cannot budget for a model whose price is missing or not a number.',
        fix: 'Give every model `pricing` with the numbers `prompt` and `completion`.',
      },
      (expect, model, answer) => {
        const wrong = mismatches(pricingSchema, at(model, 'pricing')).filter((sentence) => !sentence.includes('unit'))
        expect(`schema violations of pricing ${named(model)}`, wrong, answer).is([])
      },
    ),
  ),
  must(
    'models.pricing-unit',
    onEveryModel(
      {
        states: ['model-pricing-unit'],
        wrong: 'The price unit of a listed model is not per_million_tokens.',
        why: 'Clients misread a price without its unit by a factor of a million.',
        fix: 'Set `pricing.unit` to per_million_tokens.',
      },
      (expect, model, answer) =>
        expect(`unit of pricing ${named(model)}`, at(model, 'pricing', 'unit'), answer).is('per_million_tokens'),
      ['models.data', 'models.pricing'],
    ),
  ),
  should(
    'models.price-not-negative',
    onEveryModel(
      {
        states: ['model-pricing'],
        wrong: 'A listed price is negative.',
        why: 'Clients that add up costs also add a negative price that was meant as a marker.',
        fix: 'List prices of zero or more.',
      },
      (expect, model, answer) => {
        for (const kind of ['prompt', 'completion'])
          expect(`${kind} price ${named(model)}`, numberAt(model, 'pricing', kind), answer).isAtLeast(0)
      },
      ['models.data', 'models.pricing'],
    ),
  ),
  should(
    'models.price-plausible',
    onEveryModel(
      {
        states: ['model-pricing-unit'],
        wrong: 'A listed price is implausible for a million tokens.',
        why: 'Users see $0.000, or millions of dollars, when prices per token are labelled per million.',
        fix: 'List US dollars per million tokens.',
      },
      (expect, model, answer) => {
        for (const kind of ['prompt', 'completion']) {
          const price = numberAt(model, 'pricing', kind) ?? 0
          const plausible = price <= 0 || (price >= 0.001 && price <= plausiblePriceMax)
          expect(`${kind} price ${named(model)}`, price, answer).satisfies(
            '0, or from 0.001 to 1000 dollars per million tokens',
            plausible,
          )
        }
      },
      ['models.data', 'models.pricing'],
    ),
  ),
  should('models.ids-unique', {
    states: ['model-id'],
    phase: 'first',
    dependsOn: ['models.data'],
    cost: { requests: 0, tokens: 0 },
    wrong: 'Two listed models share an id, or have none.',
    why: 'Users see duplicates in their model picker when a model is listed once per node.',
    fix: 'List each model once, however many nodes serve it.',
    async run({ modelList, expect }) {
      const answer = await modelList()
      const ids = listAt(answer.json, 'data').map((model) => textAt(model, 'id'))
      expect(
        'ids that are listed twice',
        ids.filter((id, index) => ids.indexOf(id) !== index),
        answer,
      ).is([])
    },
  }),
  should('models.unavailable-not-listed', {
    states: ['list-has-available-models'],
    needs: ['unavailable-model'],
    dependsOn: ['models.names-a-model'],
    cost: { requests: 0, tokens: 0 },
    wrong: 'A model that no node serves is listed.',
    why: 'Clients pick a model from the list that they then cannot use.',
    fix: 'Take a model out of the list when its last node goes.',
    async run({ modelList, target, expect }) {
      const answer = await modelList()
      const unavailable = target.config.unavailableModel ?? ''
      const listed = readRoster(answer.json).some(({ id }) => id === unavailable)
      expect(`whether ${unavailable}, which no node serves, is listed`, listed, answer).is(false)
    },
  }),
  open('models.listed', {
    states: ['model-tiers-open', 'extra-fields-open'],
    phase: 'first',
    dependsOn: ['models.data'],
    cost: { requests: 0, tokens: 0 },
    why: 'Clients want to know which models there are, and which fields a gateway adds.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ modelList }) {
      const models = listAt((await modelList()).json, 'data')
      return models.map((model) => ({
        id: at(model, 'id'),
        prompt: at(model, 'pricing', 'prompt'),
        completion: at(model, 'pricing', 'completion'),
        fields: isRecord(model) ? Object.keys(model) : [],
      }))
    },
  }),
])
