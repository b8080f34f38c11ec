import { createChance } from './chance.ts'
import type { LoadPlan } from './plan.ts'

/** Average characters per token of English text, to turn the token counts of a trace into texts. */
export const charsPerToken = 4

const words =
  'time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name president team minute idea kid body information back parent face others level office door health person art war history party result change morning reason research girl guy moment air teacher force education'.split(
    ' ',
  )

/** Makes the body of each request: prompts of one length, all different, so that no cache answers instead of a node. */
export function bodies(
  plan: Pick<LoadPlan, 'model' | 'stream' | 'maxTokens' | 'promptChars' | 'seed'>,
): (index: number, promptChars?: number, maxTokens?: number) => string {
  const chance = createChance(plan.seed)
  const offset = Math.floor(chance.unit() * 1e9)
  let text = ''
  const textOf = (chars: number): string => {
    while (text.length < chars) text += `${words[Math.floor(chance.unit() * words.length)]} `
    return text.slice(0, chars)
  }
  return (index, promptChars = plan.promptChars, maxTokens = plan.maxTokens) => {
    const start = `Request ${offset + index}. `
    const content = start + textOf(Math.max(0, promptChars - start.length))
    return JSON.stringify({
      model: plan.model,
      messages: [{ role: 'user', content }],
      max_tokens: maxTokens,
      stream: plan.stream,
    })
  }
}
