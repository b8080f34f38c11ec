import type { Check } from '../check/check.ts'
import { createJournal, type Journal } from '../check/kept/journal.ts'
import type { Samples } from '../check/kept/samples.ts'
import { verdictIn } from '../check/scheduler.ts'
import { createSession, noncePattern, randomNonce } from '../check/session.ts'
import type { Shared } from '../check/shared.ts'
import type { Randomness } from '../check/values/property.ts'
import type { Verdict } from '../check/verdict.ts'
import { isRecord, parseJson } from '../json.ts'
import { isSuccess, readAnswer } from '../target/answer.ts'
import type { TargetConfig } from '../target/config.ts'
import type { Prepared } from '../target/prepare.ts'
import { readStream } from '../target/stream-reader.ts'
import { createTarget } from '../target/target.ts'
import { Unsettled } from '../target/unsettled.ts'
import { createRedactor } from '../wire/redact.ts'
import { tapeWire } from '../wire/tape.ts'
import { type Exchange, mediaType } from '../wire/transcript.ts'

/** What a verdict was based on. */
export interface Tape {
  readonly exchanges: readonly Exchange[]
  readonly prepared: Prepared
  readonly config: TargetConfig
  readonly randomness: Randomness
}

/**
 * Runs a check against its recorded exchanges, without a network, and resolves to the verdict that follows; undefined
 * if that would need something that was not recorded. A failure does not: what is asked beside it says nothing more.
 */
export async function verdictFrom(check: Check, tape: Tape): Promise<Verdict | undefined> {
  const { exchanges, prepared, config, randomness } = tape
  let isOff = false
  const offTape = async (): Promise<never> => {
    isOff = true
    throw new Unsettled('budget', 'this was not recorded')
  }
  const target = createTarget(config, performance.now(), tapeWire(exchanges, offTape))
  const journal = journalOf(exchanges)
  const nonces = noncesOf(exchanges)
  const shared: Shared = {
    target,
    prepared,
    redactor: createRedactor([]),
    journal,
    samples: samplesOf(journal),
    once: new Map(),
    sampler: () => session.context,
    randomness,
    keepAll: false,
    confirmedIncomplete: new WeakSet(),
    steadiness: { passed: 0, remainingMs: target.remainingMs },
    // One that was never sent: a request with it is not on the tape.
    nonce: () => nonces.shift() ?? randomNonce(),
    converse: offTape,
  }
  const session = createSession(shared, check.id)
  const { verdict } = await verdictIn(check, session)
  return isOff && verdict.kind !== 'fail' ? undefined : verdict
}

/** The recorded answers, as the audits of a run see them. */
function journalOf(exchanges: readonly Exchange[]): Journal {
  const journal = createJournal()
  for (const exchange of exchanges) {
    const answer = readAnswer(exchange)
    const sent = exchange.request.body
    const asked = parseJson(sent === undefined ? '' : Buffer.from(sent).toString())
    if (!isSuccess(answer)) journal.addRefusal(answer)
    else if (!isRecord(asked)) continue
    else if (mediaType(exchange) === 'text/event-stream' || asked['stream'] === true)
      journal.addStreams({ asked, answer: readStream(exchange) })
    else journal.addReplies({ asked, answer })
  }
  return journal
}

function samplesOf({ replies, streams, refusals }: Journal): Samples {
  return {
    replies: async () => replies,
    streams: async () => streams,
    wholeStreams: async () => streams.filter(({ answer }) => answer.exchange.ending !== 'left' || answer.done),
    refusals: async () => refusals,
  }
}

/** The check's nonces, in the order of their first use. */
function noncesOf(exchanges: readonly Exchange[]): string[] {
  const bodies = exchanges
    .toSorted((one, other) => one.sentAt - other.sentAt || one.id - other.id)
    .map(({ request }) => (request.body === undefined ? '' : Buffer.from(request.body).toString()))
  return [...new Set(bodies.join('\n').match(noncePattern))]
}
