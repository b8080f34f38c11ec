import type { Clock } from '../../clock.ts'
import { simulateNode } from '../../network/simulated-node.ts'
import { countTokens } from '../../network/tokens.ts'
import type { Content, Dialect } from '../dialect/dialect.ts'
import type { Script } from '../script/script.ts'
import type { NodeRequest } from '../send/request.ts'

interface Occasion {
  readonly dialect: Dialect
  readonly seed: number
  readonly clock: Clock
}

interface Generated {
  readonly fragments: readonly string[]
  readonly tokens: number
  readonly finishReason: string
}

/** What a reply will say: the script's words where it has some, else text made from the prompt. */
export async function replyContent(request: NodeRequest, script: Script, occasion: Occasion): Promise<Content> {
  const { fragments, tokens, finishReason } = scripted(script) ?? (await generated(request, occasion))
  const promptTokens = promptTokensOf(request)
  return {
    fragments,
    finishReason: script.finishReason === undefined ? finishReason : script.finishReason,
    usage: script.usage === undefined ? occasion.dialect.usage(promptTokens, tokens) : script.usage,
    model: script.model ?? request.model,
    // Engines draw their ids: two nodes, or two runs, have none in common.
    id: script.id ?? occasion.dialect.newId(),
    createdS: Math.floor(occasion.clock.unixMs() / 1000),
  }
}

export function promptTokensOf({ messages }: NodeRequest): number {
  return messages.reduce((sum, { content }) => sum + countTokens(content), 0)
}

function scripted({ fragments, text, repeat = 1 }: Script): Generated | undefined {
  const said = fragments ?? text?.split(/(?<=\s)(?=\S)/)
  if (said === undefined) return undefined
  const tokens = countTokens(said.join('')) * repeat
  return { fragments: Array.from({ length: repeat }, () => said).flat(), tokens, finishReason: 'stop' }
}

async function generated(
  { model, messages, tokensMax, stop }: NodeRequest,
  { seed, clock }: Occasion,
): Promise<Generated> {
  const node = simulateNode(clock, { id: 'node', serves: [model], seed, pace: 'instant' })
  const job = { model, messages, tokensMax, stop, temperature: 1, topP: 1 }
  const generation = node.generate(job, new AbortController().signal)
  const fragments: string[] = []
  let tokens = 0
  for (let step = await generation.next(); ; step = await generation.next()) {
    if (step.done === true) return { fragments, tokens, finishReason: step.value }
    fragments.push(step.value.text)
    tokens += step.value.tokens
  }
}
