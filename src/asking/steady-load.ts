import type { CheckContext } from '../check/context.ts'
import { createEngine } from '../load/engine/engine.ts'
import { monotonicMs } from '../load/engine/monotonic.ts'
import { chatPath } from '../target/chat.ts'

const steady = { connections: 32, requests: 64, maxTokens: 72 }

/** Events a second in a closed loop of streams, run by the engine of `assay load`. */
export async function steadyEventsPerS({ target, model }: CheckContext): Promise<number> {
  const { connections, requests, maxTokens } = steady
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
  target.budget.count({ requests: result.outcomes.sent, tokens: result.tokens })
  const spanS = (result.lastEndMs - result.firstSendMs) / 1000
  return spanS > 0 ? result.events / spanS : 0
}
