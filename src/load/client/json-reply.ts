import { chatCompletionSchema } from '../../contract/chat-completion.ts'
import { mismatches } from '../../contract/schema.ts'
import { parseJson } from '../../json.ts'
import type { Flight } from '../meter/flight.ts'

const bytesMax = 8 * 1024 * 1024
const reasonCharsMax = 300

/** The body of a reply that is not a stream, kept until it is complete and can be judged. */
export class JsonReply {
  private pieces: Buffer[] = []
  private length = 0

  begin(): void {
    this.pieces = []
    this.length = 0
  }

  add(bytes: Uint8Array, from: number, to: number): void {
    if (this.length >= bytesMax) return
    this.pieces.push(Buffer.from(bytes.subarray(from, to)))
    this.length += to - from
  }

  /** Judges what came; a refusal only has its text kept as the reason. */
  judge(flight: Flight): void {
    const text = Buffer.concat(this.pieces).toString()
    this.begin()
    if (flight.outcome === undefined) judgeCompletion(flight, text)
    else if (flight.reason === '') flight.reason = text.slice(0, reasonCharsMax)
  }
}

function judgeCompletion(flight: Flight, text: string): void {
  const reply = parseJson(text)
  if (reply === undefined) {
    flight.outcome = 'schema'
    flight.reason = 'the reply is not JSON'
    return
  }
  const [mismatch] = mismatches(chatCompletionSchema, reply)
  if (mismatch !== undefined) {
    flight.outcome = 'schema'
    flight.reason = `the reply breaks its schema: ${mismatch}`
    return
  }
  const { usage } = reply as {
    readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number }
  }
  flight.completionTokens = usage?.completion_tokens ?? Number.NaN
  flight.promptTokens = usage?.prompt_tokens ?? Number.NaN
}
