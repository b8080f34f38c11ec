import { play } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { isClientError, isSuccess } from '../../src/target/answer.ts'
import { type ChatBody, chatPath, chatRequest } from '../../src/target/chat.ts'
import { isServed, unserved } from '../../src/target/served.ts'

async function refusesKey(
  { probe, probeStream, expect }: CheckContext,
  what: string,
  key: string,
  body: ChatBody = {},
): Promise<void> {
  const answer = await probe(body, { key })
  expect(`status with ${what}`, answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
  const streamed = await probeStream(body, { key })
  expect(`status with ${what}, streaming`, streamed.status, streamed).satisfies(unserved, !isServed(streamed))
}

/** The path of chat completions, as servers and proxies read it too. */
const otherSpellings = [`${chatPath}/`, '/chat/%63ompletions', `${chatPath}?stream=false`]

export const specialKeys = clause('5', [
  must('auth.second-key-works', {
    states: ['several-keys'],
    phase: 'early',
    needs: ['second-key'],
    dependsOn: ['chat.answers', 'stream.answers'],
    cost: { requests: 4, tokens: 240 },
    wrong: 'One of two keys got no reply or no stream.',
    coversNoReply: true,
    why: 'Owners rotate keys by using the new one before they delete the old one.',
    fix: 'Accept every live key of an account, whatever other keys it has.',
    async run({ ask, askStream, target, expect }) {
      const key = target.config.keys.second ?? ''
      const [first, second] = await Promise.all([ask(), ask({}, { key })])
      expect('status with the first key', first.status, first).isStatus('2xx')
      expect('status with the second key', second.status, second).isStatus('2xx')
      const streamed = await askStream({}, { key })
      expect('data events with the second key', streamed.chunks.length, streamed).isAtLeast(1)
    },
  }),
  must('auth.second-key-same-bounds', {
    states: ['several-keys', 'temperature-range'],
    needs: ['second-key'],
    dependsOn: ['auth.second-key-works', 'temperature.above-range-refused'],
    cost: { requests: 3, tokens: 180 },
    wrong: 'Other bounds of temperature or top_p held for the second key.',
    coversNoReply: true,
    why: 'Clients of one key are billed for garbage when a rule only holds for another key.',
    fix: 'Apply the contract to every key.',
    async run({ ask, probe, target, expect }) {
      const key = target.config.keys.second ?? ''
      const hot = await probe({ temperature: 3 }, { key })
      expect('status for temperature 3 with the second key', hot.status, hot).satisfies('no 2xx', !isSuccess(hot))
      const reply = await ask({ temperature: 2, top_p: 0, max_tokens: 2 }, { key })
      expect('status at the bounds with the second key', reply.status, reply).isStatus('2xx')
    },
  }),
  must('auth.revoked-key-refused', {
    states: ['revocation-is-immediate'],
    phase: 'early',
    needs: ['revoked-key'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 60 },
    wrong: 'A revoked key was served.',
    why: 'Owners delete a leaked key to stop its use now, on every connection.',
    fix: 'Check every request against the current keys, without a cache that outlives a key.',
    async run(context) {
      const key = context.target.config.keys.revoked ?? ''
      for (let turn = 0; turn < 2; turn += 1) await refusesKey(context, 'a revoked key', key)
    },
  }),
  must('auth.other-spellings-need-a-key', {
    states: ['every-request-has-a-key'],
    phase: 'early',
    dependsOn: ['auth.missing-key-refused'],
    cost: { requests: 3, tokens: 60, quick: 2 },
    wrong: 'A request without a key was served at another spelling of the path.',
    why: 'Whoever adds a slash gets in for nothing where a rule of the key compares the path as text.',
    fix: 'Look at the key where the request is served, not at a list of paths.',
    async run({ few, settled, model, target, expect, notApplicable }) {
      if (target.config.keys.main === undefined) throw notApplicable('the run has no key')
      for (const path of few(otherSpellings)) {
        const answer = await settled({ ...chatRequest(model, {}), path, key: null })
        expect(`status without a key at ${path}`, answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      }
    },
  }),
  should('relay.unknown-key-reaches-no-node', {
    states: ['every-request-has-a-key'],
    needs: ['nodes'],
    dependsOn: ['auth.wrong-key-refused', 'relay.reply-text-exact'],
    cost: { requests: 2, tokens: 60 },
    wrong: 'A node was asked by a caller whose key nobody knows.',
    why: 'Anybody can make the nodes work, though nobody gets the reply, and nobody pays for it.',
    fix: 'Look up the key before anything is sent to a node.',
    async run(context) {
      const { nodes, nonce, send, sendStream, target, expect, notApplicable, undecidable } = context
      if (target.config.keys.main === undefined) throw notApplicable('the run has no key')
      const own = await play(context, { fragments: ['Fine', '.'] })
      const messages = [{ role: 'user', content: own.prompt }]
      for (const [ask, stream] of [
        [send, false],
        [sendStream, true],
      ] as const) {
        const key = `sk-assay-${nonce()}`
        const answer = await ask(chatRequest(nodes.model, { messages, max_tokens: 100, stream }, { key }))
        if (!isClientError(answer) || answer.status === 429)
          throw undecidable(`an unknown key was answered with ${answer.status ?? 'nothing'}`)
        const asked = (await nodes.records(own.id)).length
        expect(`requests at the nodes with an unknown key (stream: ${stream})`, asked, answer).is(0)
      }
    },
  }),
  should('auth.revoked-refusal-is-client-error', {
    states: ['client-errors-are-4xx'],
    needs: ['revoked-key'],
    dependsOn: ['auth.revoked-key-refused'],
    cost: { requests: 2, tokens: 0 },
    wrong: 'A revoked key was not refused with a 4xx.',
    why: 'A 5xx sends users looking for an outage, and SDKs retry it.',
    fix: 'Answer a deleted key like an unknown one, with 401.',
    async run({ probe, probeStream, target, expect }) {
      const key = target.config.keys.revoked ?? ''
      for (const answer of [await probe({}, { key }), await probeStream({}, { key })])
        expect('status with a revoked key', answer.status, answer).isStatus('4xx')
    },
  }),
  should('auth.unfunded-key-refused', {
    states: ['funds-are-needed'],
    phase: 'early',
    needs: ['unfunded-key'],
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 60 },
    wrong: 'The key of an account without funds was not refused with a 4xx.',
    why: "The service loses money on replies that nobody can pay for, and users take a notice under a 200 for the model's words.",
    fix: 'Refuse a request without funds with an error status, before the first byte of a reply.',
    async run(context) {
      const { prepared, model, target } = context
      const price = prepared.roster.find(({ id }) => id === model)?.promptPrice
      if (price === 0) throw context.notApplicable('the model in use is free, so nobody needs funds for it')
      const key = target.config.keys.unfunded ?? ''
      for (const body of [{}, { max_tokens: 1 }])
        await refusesKey(context, 'the key of an account without funds', key, body)
      const answer = await context.probe({}, { key })
      context.expect('status without funds', answer.status, answer).isStatus('4xx')
    },
  }),
  open('auth.unfunded-status', {
    states: ['funds-status-open'],
    needs: ['unfunded-key'],
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'Clients can tell a lack of funds from a limit only if the status differs.',
    fix: 'Nothing to mend: the contract leaves it open. 402 is what most clients understand.',
    async run({ send, model, target }) {
      const answer = await send(chatRequest(model, {}, { key: target.config.keys.unfunded ?? '' }))
      return { status: answer.status, body: answer.text.slice(0, 300) }
    },
  }),
])
