import { setTimeout as sleep } from 'node:timers/promises'
import type { CheckContext } from '../check/context.ts'
import { eventually } from '../repeat/eventually.ts'
import { isSuccess, type StreamAnswer } from '../target/answer.ts'
import { modelsPath } from '../target/chat.ts'
import type { NodeRecord } from '../target/nodes.ts'
import { parseRawMessages } from '../wire/raw-message.ts'
import { play } from './nodes/scripted-nodes.ts'

/** What a request got that was sent on a new connection while the gateway restarted. */
interface AskedMeanwhile {
  readonly was: 'served' | '503' | 'other status' | 'refused' | 'broken off'
  readonly hasRetryAfter: boolean
}

export interface RestartRound {
  /** The streams that were under way. */
  readonly streams: readonly StreamAnswer[]
  /** The whole text of each. */
  readonly text: string
  readonly asked: readonly AskedMeanwhile[]
  readonly tookMs: number
}

const streamsUnderWay = 4
/** Long enough for a restart to come in the middle, on a busy machine too. */
const fragments = Array.from({ length: 40 }, (_, at) => `word${at} `)
const timing = { firstToken: 10, gap: 25 }
const askEveryMs = 30
const askedMax = 40
const beginMs = 5000
/** Longer than any gateway needs to come back. */
const backMs = 60_000

/** Restarts the gateway with streams under way, asks for the list of models meanwhile, and waits until requests are served again. */
export async function restartRound(context: CheckContext): Promise<RestartRound> {
  const { control, undecidable } = context
  const own = await play(context, { fragments, timing })
  const streams = Promise.all(Array.from({ length: streamsUnderWay }, () => own.stream({}, undefined, true)))
  const begun = (records: readonly NodeRecord[]): boolean =>
    records.filter(({ chunksWritten }) => chunksWritten > 0).length >= streamsUnderWay
  const begin = context.nodes.recordsWhen(own.id, beginMs, begun)
  // Streams that fail at once say why.
  if (!begun(await Promise.race([begin, streams.then(() => begin)])))
    throw undecidable('the nodes did not begin as many streams as were asked for')
  const startMs = performance.now()
  let isOver = false
  const restarted = control.restart().finally(() => {
    isOver = true
  })
  const asked: Promise<AskedMeanwhile>[] = []
  while (!isOver && asked.length < askedMax) {
    asked.push(askOnce(context))
    await Promise.race([restarted.catch(() => undefined), sleep(askEveryMs)])
  }
  await restarted
  const list = { method: 'GET', path: modelsPath } as const
  const back = await eventually({ withinMs: backMs, everyMs: 100 }, () => context.send(list), isSuccess)
  if (!isSuccess(back)) throw undecidable('the gateway did not serve again within a minute of its restart')
  const tookMs = performance.now() - startMs
  return { streams: await streams, text: fragments.join(''), asked: await Promise.all(asked), tookMs }
}

async function askOnce({ converse, rawHead }: CheckContext): Promise<AskedMeanwhile> {
  const head = rawHead('GET', modelsPath, [['Connection', 'close']])
  const { arrivals, ending } = await converse([head], () => false)
  const [message] = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
  if (message === undefined) return { was: ending === 'unreachable' ? 'refused' : 'broken off', hasRetryAfter: false }
  const hasRetryAfter = message.headers.some(([name]) => name.toLowerCase() === 'retry-after')
  if (message.status === 503) return { was: '503', hasRetryAfter }
  return { was: isSuccess(message) ? 'served' : 'other status', hasRetryAfter }
}
