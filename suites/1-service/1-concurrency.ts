import { baselineOf } from '../../src/asking/baseline.ts'
import {
  type Crowd,
  crowdOf,
  crowdSize,
  crowdTokensMax,
  gather,
  isCut,
  type Prompt,
  servedOf,
} from '../../src/asking/crowd/crowd.ts'
import { holdCrowdText } from '../../src/asking/crowd/crowd-text.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt, textAt } from '../../src/json.ts'
import { type Answer, contentOf, hasErrorFrame, isRefusedForNow, type StreamAnswer } from '../../src/target/answer.ts'

/** Prompts that each have a unique word and length, so that a crossed reply shows by its text or its count. */
function prompts(nonce: () => string, count: number): readonly Prompt[] {
  return Array.from({ length: count }, (_, index) => {
    const word = nonce()
    return {
      nonce: word,
      messages: [{ role: 'user', content: `Repeat exactly: ${word} ${'and again '.repeat(index)}` }],
    }
  })
}

/** Holds that no text carries the word of another prompt, and returns how many carry their own. */
function ownWords(
  expect: CheckContext['expect'],
  asked: readonly Prompt[],
  texts: readonly string[],
  answers: readonly Answer[],
): number {
  const words = asked.map(({ nonce }) => nonce)
  texts.forEach((text, index) => {
    const foreign = words.filter((word, other) => other !== index && text.includes(word))
    expect(`words of other requests in the reply to ${words[index]}`, foreign, answers[index]).is([])
  })
  return texts.filter((text, index) => text.includes(words[index] ?? '')).length
}

/** The id of more than half of a stream's chunks. */
function ownId(ids: readonly string[]): string | undefined {
  return ids.find((id) => id !== '' && ids.filter((other) => other === id).length * 2 > ids.length)
}

/**
 * Holds that no chunk carries the id of another stream, and returns how many streams have an id that no other has: where a
 * model says words of chance, the ids are what tells streams apart.
 */
function ownIds(expect: CheckContext['expect'], streams: readonly StreamAnswer[]): number {
  const idsOf = ({ chunks }: StreamAnswer) => chunks.map(({ json }) => textAt(json, 'id') ?? '')
  const owners = Map.groupBy(streams, (stream) => ownId(idsOf(stream)))
  for (const stream of streams) {
    const own = ownId(idsOf(stream))
    const foreign = own === undefined ? [] : idsOf(stream).filter((id) => id !== own && owners.has(id))
    expect('ids of other streams in a stream', foreign, stream).is([])
  }
  return [...owners].filter(([id, some]) => id !== undefined && some.length === 1).length
}

/** The prompt tokens that a stream reports when asked to. */
function promptTokensOf({ chunks }: StreamAnswer): number | undefined {
  return chunks.map(({ json }) => numberAt(json, 'usage', 'prompt_tokens')).findLast((count) => count !== undefined)
}

/** Holds that streams count the same prompt tokens among others as by themselves, and returns how many counts there are. */
async function ownCounts({ probeStream, expect, nonce, target }: CheckContext): Promise<number> {
  const bodies = prompts(nonce, target.config.concurrency).map(({ messages }) => ({
    messages,
    max_tokens: crowdTokensMax,
    stream_options: { include_usage: true },
  }))
  const together = await Promise.all(bodies.map((body) => probeStream(body)))
  for (const [index, stream] of together.entries()) {
    const among = promptTokensOf(stream)
    if (index % 3 !== 0 || among === undefined) continue
    const single = promptTokensOf(await probeStream(bodies[index] ?? {}))
    if (single === undefined) continue
    expect('prompt_tokens of the same prompt, streamed by itself and among others', among, stream).is(single)
  }
  return new Set(together.map(promptTokensOf).filter((count) => count !== undefined)).size
}

export const concurrency = clause('1', [
  must('concurrency.replies-not-crossed', {
    states: ['each-gets-its-own-reply'],
    dependsOn: ['chat.answers'],
    cost: { requests: 24, tokens: 1800, quick: 11 },
    wrong: "A reply among others holds another's words, or its prompt was counted differently.",
    why: 'A reply delivered to somebody else is a breach of privacy.',
    fix: 'Keep the state of a request in that request; key a cache by the whole request.',
    async run({ ask, expect, nonce, target, undecidable }) {
      const asked = prompts(nonce, target.config.concurrency)
      const bodies = asked.map(({ messages }) => ({ messages, max_tokens: 24 }))
      const together = await Promise.all(bodies.map((body) => ask(body)))
      const own = ownWords(
        expect,
        asked,
        together.map((reply) => contentOf(reply) ?? ''),
        together,
      )
      const counts = together.map((reply) => numberAt(reply.json, 'usage', 'prompt_tokens'))
      // A prompt's token count needs no echo: it has to be the same with and without other requests.
      for (const [index, body] of bodies.entries()) {
        if (index % 3 !== 0) continue
        const single = await ask(body)
        expect('prompt_tokens of the same prompt, by itself and among others', counts[index], together[index]).is(
          numberAt(single.json, 'usage', 'prompt_tokens'),
        )
      }
      if (own === 0 && new Set(counts).size < 2) throw undecidable('neither text nor usage tells the replies apart')
    },
  }),
  must('concurrency.streams-not-crossed', {
    states: ['each-gets-its-own-reply'],
    dependsOn: ['stream.answers'],
    cost: { requests: 24, tokens: 1800, quick: 16 },
    wrong: "A stream among others holds another's text or id, or was damaged or miscounted.",
    why: 'A fragment delivered to somebody else is a breach of privacy.',
    fix: 'Keep the state of a stream in that stream.',
    async run(context) {
      const { askStream, expect, nonce, target, undecidable } = context
      const together = async (): Promise<Crowd> => {
        const asked = prompts(nonce, target.config.concurrency)
        const bodies = asked.map(({ messages }) => ({ messages, max_tokens: crowdTokensMax }))
        return { prompts: asked, streams: await Promise.all(bodies.map((body) => askStream(body))) }
      }
      const crowd = await together()
      const texts = crowd.streams.map(({ content }) => content)
      const own = ownWords(expect, crowd.prompts, texts, crowd.streams)
      const ids = ownIds(expect, crowd.streams)
      const { stable, isUsual } = await baselineOf(context, 'stream')
      const same = stable !== undefined && isUsual ? await holdCrowdText(context, crowd, together) : 0
      if (own + same > 0) return
      const counts = await ownCounts(context)
      if (Math.max(ids, counts) < 2) throw undecidable('neither text, nor ids, nor usage tell the streams apart')
    },
  }),
  should('concurrency.keys-not-crossed', {
    states: ['each-gets-its-own-reply', 'several-keys'],
    needs: ['second-key'],
    dependsOn: ['auth.second-key-works'],
    cost: { requests: 2, tokens: 120 },
    wrong: 'The same request with another key got no id of its own.',
    why: 'A reply cache shared between keys gives one customer the reply of another.',
    fix: 'Make the API key, or its account, part of the cache key.',
    async run({ ask, expect, nonce, target }) {
      const body = { messages: [{ role: 'user', content: `Say hello to ${nonce()}.` }], max_tokens: 16 }
      const first = await ask(body)
      const second = await ask(body, { key: target.config.keys.second ?? '' })
      expect('id of the same request with another key', textAt(second.json, 'id'), second).isNot(
        textAt(first.json, 'id'),
      )
    },
  }),
  must('concurrency.streams-under-load', {
    states: ['each-gets-its-own-reply'],
    needs: ['load'],
    dependsOn: ['concurrency.streams-not-crossed', 'stream.ends-with-done'],
    sameCauseAs: ['concurrency.streams-not-interrupted'],
    phase: 'exclusive',
    safe: false,
    cost: { requests: 408, tokens: 24_000 },
    wrong: 'One of 200 concurrent streams failed, lacks [DONE], or has a wrong text or id.',
    why: 'Lost words and crossed replies reach users only when many streams run at once.',
    fix: 'Test the streaming path under load, and share nothing between streams.',
    async run(context) {
      const { target, expect, undecidable } = context
      const crowd = await crowdOf(context)
      const { prompts: asked, streams } = crowd
      if (streams.some(isCut) && target.spending.cuts > 0)
        throw undecidable('the target breaks off requests even without load')
      if (streams.some(({ exchange }) => exchange.ending === 'timeout'))
        throw undecidable(`the target is too slow for ${crowdSize} streams at once`)
      const served = servedOf(crowd)
      // An error event is an explicit, passing refusal, like a 503.
      const refused = streams.filter((stream) => isRefusedForNow(stream) || hasErrorFrame(stream)).length
      expect(
        `streams, of ${crowdSize} at once, that were served or refused with 429 or 503`,
        served.length + refused,
        streams.find(({ status }) => status === undefined),
      ).is(crowdSize)
      for (const stream of served) expect('whether [DONE] was sent', stream.done, stream).is(true)
      const texts = streams.map(({ content }) => content)
      const own = ownWords(expect, asked, texts, streams)
      const ids = ownIds(expect, served)
      const { stable, isUsual } = await baselineOf(context, 'stream')
      const same = stable !== undefined && isUsual ? await holdCrowdText(context, crowd, () => gather(context)) : 0
      if (own + same === 0 && ids < 2) throw undecidable('neither text nor ids tell the streams apart')
    },
  }),
])
