import { createEngine, type EngineResult } from '../load/engine.ts'
import { monotonicMs } from '../load/monotonic.ts'
import { outcomes } from '../load/outcome.ts'
import { chatPath } from '../target/chat.ts'
import type { Target } from '../target/target.ts'
import type { CheckContext } from './context.ts'

export interface StreamLoad {
  readonly result: EngineResult
  /** Streams whose bytes or events were wrong, and in what way. */
  readonly wrong: readonly string[]
  /** Events of complete streams, a second. */
  readonly eventsPerS: number
}

export const crowd = { connections: 200, requests: 200, maxTokens: 24 }

const judged = outcomes.filter((outcome) => ['truncated', 'noDone', 'framing', 'schema', 'reset'].includes(outcome))

const crowds = new WeakMap<Target, Promise<StreamLoad>>()

/** Two hundred short streams at once, put on a target once for all checks that look at them. */
export function crowdOf(context: CheckContext): Promise<StreamLoad> {
  const known = crowds.get(context.target) ?? streamLoad(context, crowd)
  crowds.set(context.target, known)
  return known
}

/** Puts a closed loop of streams on the target, judged event by event by the engine of `assay load`. */
export async function streamLoad(
  { target, model }: CheckContext,
  {
    connections,
    requests,
    maxTokens,
  }: { readonly connections: number; readonly requests: number; readonly maxTokens: number },
): Promise<StreamLoad> {
  const { config } = target
  const limitMs = config.timeoutMs
  const engine = createEngine(
    {
      url: `${config.baseUrl}${config.apiPath}${chatPath}`,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `inference-assay/${config.version} run/${config.runId}`,
        ...(config.keys.main !== undefined && { Authorization: `Bearer ${config.keys.main}` }),
        ...Object.fromEntries(config.headers),
      },
      model,
      stream: true,
      maxTokens,
      promptChars: 80,
      arrivals: { kind: 'closed', connections },
      durationMs: limitMs,
      requestsMax: requests,
      warmupMs: 0,
      drainMs: limitMs,
      limits: { connectMs: limitMs, headMs: limitMs, firstContentMs: limitMs, idleMs: limitMs, totalMs: 6 * limitMs },
      validateShare: 1,
      objectives: [],
      leavingShare: 0,
      seed: 1,
      insecure: config.insecure,
      shards: 1,
      stamped: false,
    },
    { shard: 0, shards: 1 },
  )
  engine.warm()
  const result = await engine.run(monotonicMs() + 20)
  target.spending.requests += result.outcomes.sent
  target.spending.tokens += result.tokens
  const wrong = judged.flatMap((outcome) =>
    result.outcomes[outcome] === 0
      ? []
      : [`${result.outcomes[outcome]} ${outcome}: ${result.reasons[outcome]?.[0] ?? ''}`],
  )
  const spanS = (result.lastEndMs - result.firstSendMs) / 1000
  return { result, wrong, eventsPerS: spanS > 0 ? result.events / spanS : 0 }
}
