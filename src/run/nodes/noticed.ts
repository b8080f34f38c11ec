import { HarnessError } from '../../harness-error.ts'
import { eventually } from '../../repeat/eventually.ts'
import { untilRight } from '../../repeat/repeat.ts'
import { rules } from '../../repeat/rules.ts'
import { type Answer, isSuccess } from '../../target/answer.ts'
import { chatRequest, modelsPath } from '../../target/chat.ts'
import { secretsOf, type TargetConfig } from '../../target/config.ts'
import { readRoster } from '../../target/roster.ts'
import { outcome } from '../../target/settle.ts'
import { createTarget, type Target } from '../../target/target.ts'
import { createRedactor } from '../../wire/redact.ts'
import type { OwnNodes } from './own-nodes.ts'

/** Longer than gateways wait until they look after their nodes again; some wait longer each time. */
const noticedMsMax = 30_000
const everyMs = 1000
const saidCharsMax = 300

interface Look {
  readonly list: Answer
  readonly chat: Answer
}

/**
 * Waits until the gateway has noticed the nodes that were started behind it a moment ago: many look after their nodes every few
 * seconds only, and until then they list nothing and answer with 404 or 503. Throws `HarnessError` (exit 3) if it notices none, or has
 * its replies from elsewhere: each check of our nodes would fail a gateway that was never told of them.
 */
export async function untilNodesAreNoticed(
  config: TargetConfig,
  nodes: Pick<OwnNodes, 'urls' | 'wasAsked' | 'unknown'>,
  withinMs = noticedMsMax,
): Promise<void> {
  const target = createTarget(config)
  let wasReached = false
  // Somebody may restart it meanwhile.
  const mayBeBack = ({ chat }: Look): boolean => wasReached && chat.status === undefined
  const look = async (): Promise<Look> => {
    const seen = await lookAt(target)
    wasReached ||= seen.chat.status !== undefined
    return seen
  }
  try {
    const last = await eventually({ withinMs, everyMs }, look, (seen) => !mayComeLater(seen) && !mayBeBack(seen))
    if (nodes.wasAsked()) return
    if (isSuccess(last.chat)) return await refuseRepliesFromElsewhere(target, nodes)
    if (!mayComeLater(last)) return
    const unknown = nodes.unknown()
    const sentences = [
      `The gateway asked none of the nodes at ${nodes.urls.join(' and ')} for a reply within ${Math.round(withinMs / 1000)} s, and answers a plain request with ${outcome(last.chat)}${saidBy(last.chat, config)}.`,
      ...(unknown.length === 0 ? [] : [`It looks for what they do not have: ${unknown.slice(0, 3).join(', ')}.`]),
    ]
    throw new HarnessError('nodes-unused', sentences.join(' '))
  } finally {
    await target.close()
  }
}

/** The beginning of its answer, which may name what is missing in its configuration. */
function saidBy({ text }: Answer, config: TargetConfig): string {
  const said = createRedactor(secretsOf(config)).text(text).slice(0, saidCharsMax)
  return said === '' ? '' : `: ${said}`
}

async function refuseRepliesFromElsewhere(target: Target, nodes: Pick<OwnNodes, 'urls' | 'wasAsked'>): Promise<void> {
  const model = modelOf(target)
  const isAsked = async (turn: number): Promise<boolean> => {
    // A reply to the same prompt may come from a cache.
    const content = `Say hello to guest ${turn} of ${target.config.runId}.`
    await target.send(chatRequest(model, { messages: [{ role: 'user', content }] }))
    return nodes.wasAsked()
  }
  if (await untilRight(rules.fromElsewhere, isAsked, (yes) => yes)) return
  throw new HarnessError(
    'nodes-unused',
    `The gateway answers the model ${model} and asked none of the nodes at ${nodes.urls.join(' and ')} for it.`,
  )
}

/** The name by which checks ask our nodes through the gateway. */
function modelOf({ config: { nodes, model = 'assay-preflight' } }: Target): string {
  return nodes?.model ?? model
}

async function lookAt(target: Target): Promise<Look> {
  const model = modelOf(target)
  const [list, chat] = await Promise.all([
    target.send({ method: 'GET', path: modelsPath }),
    target.send(chatRequest(model, {})),
  ])
  return { list, chat }
}

/** Whether it says what a gateway says that knows no node yet. What refuses a key or a path says nothing of nodes. */
function mayComeLater({ list, chat }: Look): boolean {
  const listsNothing = isSuccess(list) && readRoster(list.json).length === 0
  if (isSuccess(chat)) return listsNothing
  return (chat.status ?? 0) >= 500 || (chat.status === 404 && listsNothing)
}
