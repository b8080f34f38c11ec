import { HarnessError } from '../../harness-error.ts'
import { eventually } from '../../repeat/eventually.ts'
import { untilRight } from '../../repeat/repeat.ts'
import { rules } from '../../repeat/rules.ts'
import { type Answer, isSuccess } from '../../target/answer.ts'
import { chatRequest, modelsPath } from '../../target/chat.ts'
import { secretsOf, type TargetConfig } from '../../target/config.ts'
import { findApi } from '../../target/contact/find-api.ts'
import { preflightModel } from '../../target/prepare.ts'
import { readRoster } from '../../target/roster.ts'
import { outcome } from '../../target/settle.ts'
import { createTarget } from '../../target/target.ts'
import { createRedactor } from '../../wire/redact.ts'
import type { OwnNodes } from './own-nodes.ts'

/** Longer than gateways wait until they look after their nodes again; some wait longer each time. */
const noticedMsMax = 45_000
const everyMs = 1000
const saidCharsMax = 300

interface Look {
  readonly config: TargetConfig
  readonly list: Answer
  readonly chat: Answer
}

interface Waiting {
  /** Look for the path of the API, too: what answers before the nodes are noticed may be at any. */
  readonly findsApi?: boolean
  /** At least so long; longer where the gateway is given longer to settle. */
  readonly withinMs?: number
}

/**
 * Waits until the gateway has noticed the nodes that were started behind it a moment ago: many look after their nodes every few
 * seconds only, and until then they list nothing or refuse the list, answer with 404 or 503, or do not even listen. Resolves to
 * the configuration, with the path where the API was found. Throws `HarnessError` (exit 3) if it notices none, or has its replies
 * from elsewhere: each check of our nodes would fail a gateway that was never told of them.
 */
export async function untilNodesAreNoticed(
  config: TargetConfig,
  nodes: Pick<OwnNodes, 'urls' | 'wasAsked' | 'missedTheirKey' | 'refusedTheirList' | 'unknown'>,
  { findsApi = false, withinMs: usualMs = noticedMsMax }: Waiting = {},
): Promise<TargetConfig> {
  const found = async (): Promise<TargetConfig> => (findsApi ? { ...config, apiPath: await findApi(config) } : config)
  const withinMs = Math.max(usualMs, config.settlingMs)
  let wasReached = false
  // It may start when its nodes are there, and somebody may restart it meanwhile.
  const mayListenLater = ({ chat }: Look): boolean =>
    chat.status === undefined && (wasReached || isRefusedConnection(chat))
  const look = async (): Promise<Look> => {
    const seen = await lookAt(await found())
    wasReached ||= seen.chat.status !== undefined
    return seen
  }
  const isDecided = (seen: Look): boolean => nodes.missedTheirKey() || (!mayComeLater(seen) && !mayListenLater(seen))
  const last = await eventually({ withinMs, everyMs }, look, isDecided)
  const within = `within ${Math.round(withinMs / 1000)} s`
  const urls = nodes.urls.join(' and ')
  if (!wasReached && isRefusedConnection(last.chat))
    throw new HarnessError(
      'target-unreachable',
      `Nothing answered at ${config.baseUrl} ${within} (${last.chat.exchange.problem}), although the nodes of this run were listening at ${urls} all that time.`,
    )
  if (isSuccess(last.chat)) {
    if (!nodes.wasAsked()) await refuseRepliesFromElsewhere(last.config, nodes)
    return last.config
  }
  if (nodes.missedTheirKey())
    throw new HarnessError(
      'nodes-keyless',
      `The gateway asked the nodes at ${urls} without the key that --node-key names: they refused it with 401, and a plain request ends in ${outcome(last.chat)}.`,
    )
  // It may have noticed them after the path was chosen and before the request.
  if (nodes.wasAsked() || !mayComeLater(last)) return await found()
  const unknown = nodes.unknown()
  const sentences = [
    `The gateway asked none of the nodes at ${urls} for a reply ${within}, and answers a plain request for the model ${modelOf(config)} with ${outcome(last.chat)}${saidBy(last.chat, config)}.`,
    ...(nodes.refusedTheirList()
      ? ['They refused it their list of models with 401: it asked without the key that --node-key names.']
      : []),
    ...(unknown.length === 0 ? [] : [`It looks for what they do not have: ${unknown.slice(0, 3).join(', ')}.`]),
  ]
  throw new HarnessError('nodes-unused', sentences.join(' '))
}

/** The beginning of its answer, which may name what is missing in its configuration. */
function saidBy({ text }: Answer, config: TargetConfig): string {
  const said = createRedactor(secretsOf(config)).text(text).slice(0, saidCharsMax)
  return said === '' ? '' : `: ${said}`
}

async function refuseRepliesFromElsewhere(
  config: TargetConfig,
  nodes: Pick<OwnNodes, 'urls' | 'wasAsked'>,
): Promise<void> {
  const model = modelOf(config)
  const target = createTarget(config)
  const isAsked = async (turn: number): Promise<boolean> => {
    // A reply to the same prompt may come from a cache.
    const content = `Say hello to guest ${turn} of ${config.runId}.`
    await target.send(chatRequest(model, { messages: [{ role: 'user', content }] }))
    return nodes.wasAsked()
  }
  try {
    if (await untilRight(rules.fromElsewhere, isAsked, (yes) => yes)) return
  } finally {
    await target.close()
  }
  throw new HarnessError(
    'nodes-unused',
    `The gateway answers the model ${model} and asked none of the nodes at ${nodes.urls.join(' and ')} for it.`,
  )
}

/** The name by which checks ask our nodes through the gateway. */
function modelOf({ nodes, model = preflightModel }: TargetConfig): string {
  return nodes?.model ?? model
}

async function lookAt(config: TargetConfig): Promise<Look> {
  const target = createTarget(config)
  try {
    const [list, chat] = await Promise.all([
      target.send({ method: 'GET', path: modelsPath }),
      target.send(chatRequest(modelOf(config), {})),
    ])
    return { config, list, chat }
  } finally {
    await target.close()
  }
}

function isRefusedConnection({ exchange }: Answer): boolean {
  return /ECONNREFUSED/.test(exchange.problem ?? '')
}

/** Whether it says what a gateway says that knows no node yet. What refuses a key or a path says nothing of nodes. */
function mayComeLater({ list, chat }: Look): boolean {
  // Some say of the whole list that it is unavailable, and of a model that it is unknown.
  const listsNothing = list.status === 503 || (isSuccess(list) && readRoster(list.json).length === 0)
  if (isSuccess(chat)) return listsNothing
  return (chat.status ?? 0) >= 500 || (chat.status === 404 && listsNothing)
}
