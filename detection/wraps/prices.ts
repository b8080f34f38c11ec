import { defaultModels } from '../../reference-server/gateway/models.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { costOf, type PicoUsd, pricePerToken } from '../../reference-server/ledger/money.ts'
import { asJson } from './json.ts'
import { changingListedModels } from './list.ts'

/** Prices as the list shows them. */
export function priceTag(prompt: number, completion = prompt) {
  return { prompt, completion, unit: 'per_million_tokens' }
}

/** Lists the models at other prices and charges these. Models are told apart by price: ids and order may differ. */
export function priced(pricesOf: (index: number) => readonly [prompt: number, completion: number] | undefined): Wrap {
  const instead = (honest: unknown) => {
    const index = defaultModels.findIndex(({ price }) => price === honest)
    return index === -1 ? undefined : pricesOf(index)
  }
  return {
    ...changingListedModels((model) => {
      const prices = instead(asJson(model['pricing'])['prompt'])
      return prices === undefined ? model : { ...model, pricing: priceTag(...prices) }
    }),
    priceOf: (real) => (usage, model, call) => {
      const prices = instead(model.price)
      if (prices === undefined) return real(usage, model, call)
      const [prompt, completion] = prices.map(pricePerToken)
      if (prompt === undefined || completion === undefined) return real(usage, model, call)
      return (costOf(usage.promptTokens, prompt) + costOf(usage.completionTokens, completion)) as PicoUsd
    },
  }
}
