import { clause, must, should } from '../../src/check/check.ts'
import { usageSchema } from '../../src/contract/chat-completion.ts'
import { mismatches } from '../../src/contract/schema.ts'
import { at, numberAt } from '../../src/json.ts'
import { isSuccess, type StreamAnswer } from '../../src/target/answer.ts'
import type { ChatBody } from '../../src/target/chat.ts'

/** The usage of replies that may be as long as the window. */
export const usageWithoutLimit = clause('2.3', [
  must('usage.present-without-limit', {
    states: ['usage-counts'],
    dependsOn: ['usage.present'],
    phase: 'heavy',
    cost: { requests: 1, tokens: 540 },
    wrong: 'The usage of a reply without max_tokens is missing or malformed.',
    why: 'Clients that set no limit cannot compute their cost either.',
    fix: 'Return `usage` whether or not the request has `max_tokens`.',
    async run({ ask, expect }) {
      const reply = await ask({ max_tokens: undefined })
      expect('schema violations of usage', mismatches(usageSchema, at(reply.json, 'usage')), reply).is([])
    },
  }),
  should('usage.sent-whatever-else-is-asked', {
    states: ['stream-usage-open'],
    dependsOn: ['usage.present', 'stream.answers', 'stop.array-accepted', 'temperature.in-range-accepted'],
    phase: 'heavy',
    cost: { requests: 5, tokens: 240, quick: 2 },
    wrong: 'Some streams left out the usage that was asked for, while others sent it.',
    why: 'A service that bills by stream usage bills nothing when one more field makes it vanish.',
    fix: 'Pass `stream_options` on, whatever other fields are set.',
    async run({ few, probeStream, expect, notApplicable }) {
      const sends = (body: ChatBody) =>
        probeStream({
          messages: [{ role: 'user', content: 'Say hello.' }],
          ...body,
          stream_options: { include_usage: true },
        })
      const counts = ({ chunks }: StreamAnswer): boolean =>
        chunks.some(({ json }) => numberAt(json, 'usage', 'prompt_tokens') !== undefined)
      const bodies = [
        { max_tokens: undefined },
        { max_tokens: 6 },
        { stop: ['\u0001'] },
        { temperature: 0 },
        { top_p: 0.5, max_tokens: 64 },
      ]
      const streams: StreamAnswer[] = []
      for (const body of few(bodies)) streams.push(await sends(body))
      if (!streams.some(isSuccess)) throw notApplicable('no stream with `stream_options` was served')
      if (!streams.some(counts)) throw notApplicable('streams report no usage, which the contract leaves open')
      const without = streams.filter((stream) => isSuccess(stream) && !counts(stream))
      expect('streams that did not send the requested usage, although others did', without.length, without[0]).is(0)
    },
  }),
])
