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
} from '../../src/asking/crowd.ts'
import { holdCrowdText } from '../../src/asking/crowd-text.ts'
import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { numberAt, textAt } from '../../src/json.ts'
import { type Answer, contentOf, hasErrorFrame } from '../../src/target/answer.ts'

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

export const concurrency = clause('1', [
  must('concurrency.replies-not-crossed', {
    states: ['each-gets-its-own-reply'],
    dependsOn: ['chat.answers'],
    cost: { requests: 24, tokens: 1800 },
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
    cost: { requests: 12, tokens: 900 },
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
      const { stable, temperature } = await baselineOf(context, 'stream')
      const isStable = stable !== undefined && temperature === undefined
      const same = isStable ? await holdCrowdText(context, crowd, together) : 0
      if (own + same === 0) throw undecidable('the model says nothing that tells the streams apart')
    },
  }),
  should('concurrency.keys-not-crossed', {
    states: ['each-gets-its-own-reply', 'several-keys'],
    needs: ['second-key'],
    dependsOn: ['auth.second-key-works'],
    cost: { requests: 2, tokens: 120 },
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
    phase: 'exclusive',
    safe: false,
    cost: { requests: 408, tokens: 10_000 },
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
      const refused = streams.filter(
        (stream) => stream.status === 429 || stream.status === 503 || hasErrorFrame(stream),
      ).length
      expect(
        `streams, of ${crowdSize} at once, that were served or refused with 429 or 503`,
        served.length + refused,
        streams.find(({ status }) => status === undefined),
      ).is(crowdSize)
      for (const stream of served) expect('whether [DONE] was sent', stream.done, stream).is(true)
      const texts = streams.map(({ content }) => content)
      const own = ownWords(expect, asked, texts, streams)
      const { stable, temperature } = await baselineOf(context, 'stream')
      const isStable = stable !== undefined && temperature === undefined
      const same = isStable ? await holdCrowdText(context, crowd, () => gather(context)) : 0
      if (own + same === 0) throw undecidable('the model says nothing that tells the streams apart')
    },
  }),
])
