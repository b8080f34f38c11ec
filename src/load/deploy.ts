import { setTimeout as sleep } from 'node:timers/promises'
import type { Control } from '../target/control/control.ts'
import { Unsettled } from '../target/unsettled.ts'
import { converse } from '../wire/raw-client.ts'
import { parseRawMessages } from '../wire/raw-message.ts'
import { monotonicMs } from './engine/monotonic.ts'
import { runShards } from './engine/shards.ts'
import { sumOutcomes } from './figures/outcome.ts'
import type { LoadPlan } from './schedule/plan.ts'

/** What a restart under load did to those who asked, line by line. */
export interface Deploy {
  readonly verdict: 'pass' | 'fail' | 'undecided'
  readonly said: string
  readonly counts?: Readonly<Record<string, number>>
}

/** When the restart begins, as a share of the load's time. */
const restartAt = 0.3
const askEveryMs = 50
const askedMax = 2000
const backMsMax = 60_000
const silenceMsMax = 10_000
/** One connection may meet the very end of a process. */
const unansweredMax = 1

type Came = 'served' | 'with' | 'without' | 'other' | 'unreachable' | 'unanswered'

/**
 * Restarts the gateway under the load, and asks for its models on new connections from then until it serves again. It fails
 * where a stream looked complete that was not, where a request was taken and not answered, or where the gateway did not come
 * back within a minute.
 */
export async function probeDeploy({
  plan,
  control,
  signal,
}: {
  readonly plan: LoadPlan
  readonly control: Control
  readonly signal: AbortSignal
}): Promise<Deploy> {
  const ready = Promise.withResolvers<number>()
  const running = runShards(plan, { onReady: ready.resolve, signal })
  await sleep(Math.max(0, (await ready.promise) + restartAt * plan.durationMs - monotonicMs()))
  const startMs = performance.now()
  let isRestarting = true
  const restarted = control.restart().finally(() => {
    isRestarting = false
  })
  restarted.catch(() => undefined)
  const asked: Promise<{ readonly came: Came; readonly atMs: number }>[] = []
  const ask = async (): Promise<Came> => {
    const atMs = performance.now() - startMs
    const answer = askOnce(plan)
    asked.push(answer.then((came) => ({ came, atMs })))
    await sleep(askEveryMs)
    return isRestarting ? 'other' : answer
  }
  while (asked.length < askedMax && performance.now() - startMs < backMsMax) if ((await ask()) === 'served') break
  const { results } = await running
  try {
    await restarted
  } catch (error) {
    if (!(error instanceof Unsettled)) throw error
    return { verdict: 'undecided', said: `the gateway was not restarted: ${error.message}` }
  }
  return judge(sumOutcomes(results.map(({ outcomes }) => outcomes)), await Promise.all(asked))
}

function judge(
  load: ReturnType<typeof sumOutcomes>,
  asked: readonly { readonly came: Came; readonly atMs: number }[],
): Deploy {
  const times = (...wanted: readonly Came[]): number => asked.filter(({ came }) => wanted.includes(came)).length
  const lastBad = asked.findLastIndex(({ came }) => came !== 'served')
  const back = asked[lastBad + 1]
  const counts = {
    'requests of the load': load.sent,
    'of them whole': load.ok,
    'refused with 503': load.http503,
    'other statuses': load.http4xx + load.http429 + load.http5xx + load.httpOther,
    'cut, and it shows': load.truncated + load.inBandError,
    reset: load.reset,
    'no connection': load.connect,
    'ended as if complete': load.noDone,
    'not in time': load.headTimeout + load.firstContentTimeout + load.idleTimeout + load.totalTimeout + load.abandoned,
    'asked on new connections meanwhile': asked.length,
    'of them served': times('served'),
    'refused with Retry-After': times('with'),
    'refused without Retry-After': times('without'),
    'another status': times('other'),
    'connection refused': times('unreachable'),
    'taken and not answered': times('unanswered'),
    ...(back !== undefined && { 'recovered after ms': Math.round(lastBad === -1 ? 0 : back.atMs) }),
  }
  const wrong = [
    ...(load.noDone > 0 ? [`${load.noDone} streams ended as if they were complete`] : []),
    ...(times('unanswered') > unansweredMax ? [`${times('unanswered')} requests were taken and not answered`] : []),
    ...(back === undefined ? ['the gateway did not serve again within a minute'] : []),
  ]
  const cut = load.truncated + load.inBandError + load.reset
  const refused = times('with', 'without')
  const said = `${cut} of ${load.sent} requests cut or reset, ${load.http503} refused; new connections refused for ${refused} of ${asked.length}`
  if (load.ok === 0) return { verdict: 'undecided', said: 'no request of the load was served', counts }
  return { verdict: wrong.length > 0 ? 'fail' : 'pass', said: [...wrong, said].join('; '), counts }
}

/** One request for the list of models, on a connection of its own. */
async function askOnce({ url, headers, insecure }: LoadPlan): Promise<Came> {
  const { origin, host, pathname } = new URL(url)
  const fields = Object.entries({ ...headers, Host: host, Connection: 'close' })
  const lines = fields.filter(([name]) => !/^content-/i.test(name)).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `GET ${pathname.replace(/\/chat\/completions$/, '/models')} HTTP/1.1\r\n${lines.join('')}\r\n`
  const { arrivals, ending } = await converse({
    url: origin,
    steps: [head],
    silenceMsMax,
    insecure,
    enough: () => false,
  })
  const [message] = parseRawMessages(Buffer.concat(arrivals.map(({ bytes }) => bytes)))
  if (message === undefined) return ending === 'unreachable' ? 'unreachable' : 'unanswered'
  if (message.status === 200) return 'served'
  if (message.status !== 503) return 'other'
  return message.headers.some(([name]) => name.toLowerCase() === 'retry-after') ? 'with' : 'without'
}
