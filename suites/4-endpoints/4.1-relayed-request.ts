import { type Play, play } from '../../src/asking/nodes/scripted-nodes.ts'
import { oddConversations } from '../../src/asking/odd-conversations.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { inAscii } from '../../src/contract/json-forms.ts'
import { at, listAt, textAt } from '../../src/json.ts'
import { isClientError } from '../../src/target/answer.ts'
import type { ChatBody } from '../../src/target/chat.ts'

/** What the node was asked when the gateway was sent this body, in each mode. */
async function askedOf(own: Play, body: ChatBody): Promise<readonly unknown[]> {
  await own.reply(body)
  await own.stream(body)
  return (await own.seen()).map(({ json }) => json)
}

/** Separates two messages of one role, which some models require to be joined. */
const noted = { role: 'assistant', content: 'Noted.' }

const script = { fragments: ['Fine', '.'] }

const sixStops = ['<1>', '<2>', '<3>', '<4>', '<5>', '<6>']

/** Compares one parameter with what the node was asked, in both modes and for several values. */
async function expectPassedOn(context: CheckContext, name: string, values: readonly number[]): Promise<void> {
  for (const value of values) {
    // A field that is left out has the contract's default, which is 1 for both.
    for (const asked of await askedOf(await play(context, script), { [name]: value }))
      context.expect(`${name} at the node`, at(asked, name) ?? 1).is(value)
  }
}

/** The messages of a request as a node received it. */
function messagesIn(asked: unknown): readonly unknown[] {
  return listAt(asked, 'messages').map((message) => ({
    role: textAt(message, 'role'),
    content: textAt(message, 'content'),
  }))
}

export const relayedRequest = clause('4.1', [
  must('relay.temperature-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 10, tokens: 600 },
    wrong: "A node was asked with a temperature other than the client's.",
    why: "A client's tests become flaky when its temperature of 0 is dropped.",
    fix: 'Pass the value on as it is; 0 is a value.',
    run: (context) => expectPassedOn(context, 'temperature', [0, 0.3, 1.7, 2]),
  }),
  must('relay.top-p-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 10, tokens: 600 },
    wrong: "A node was asked with a top_p other than the client's.",
    why: 'No client notices when its sampling parameter is silently replaced.',
    fix: 'Pass the value on as it is.',
    run: (context) => expectPassedOn(context, 'top_p', [0, 0.05, 0.5, 1]),
  }),
  must('relay.max-tokens-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 4, tokens: 300 },
    wrong: "A node was asked with a limit other than the client's max_tokens.",
    why: 'A client pays for far more than its limit when the node does not know it.',
    fix: 'Pass the limit on, under the name that the node understands.',
    async run(context) {
      for (const limit of [3, 77]) {
        for (const asked of await askedOf(await play(context, script), { max_tokens: limit }))
          context
            .expect('the limit at the node', at(asked, 'max_tokens') ?? at(asked, 'max_completion_tokens'))
            .is(limit)
      }
    },
  }),
  must('relay.stop-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'stop.string-accepted', 'stop.array-accepted'],
    sameCauseAs: ['stop.ends-text'],
    cost: { requests: 9, tokens: 600 },
    wrong: "A node was asked with stop sequences other than the client's.",
    why: 'Clients get replies that run on into invented questions when a stop sequence is lost.',
    fix: 'Pass on all sequences unchanged, as a string or as a list.',
    async run(context) {
      for (const stop of ['###', ['\n\n', 'END', '日本', '"'], ['a.*b']]) {
        for (const asked of await askedOf(await play(context, script), { stop })) {
          const passed = at(asked, 'stop')
          context.expect('stop at the node', typeof passed === 'string' ? [passed] : passed).is([stop].flat())
        }
      }
      // A long list may be refused: then no node is asked.
      for (const mode of ['reply', 'stream'] as const) {
        const own = await play(context, script)
        await own[mode]({ stop: sixStops })
        for (const { json } of await context.nodes.records(own.id))
          context.expect('a list of six stop sequences at the node', at(json, 'stop')).is(sixStops)
      }
    },
  }),
  must('relay.empty-stop-list-is-none', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.stop-unchanged'],
    cost: { requests: 6, tokens: 400 },
    wrong: "A client's empty list of stop sequences reached a node as something else.",
    why: 'Languages that have one type for lists and objects write {} for an empty list, and the node refuses it.',
    fix: 'Pass on an empty list as it is, or leave it out.',
    async run(context) {
      const own = await play(context, script)
      const answers = [await own.reply({ stop: [] }), await own.stream({ stop: [] })]
      const seen = await context.nodes.records(own.id)
      if (seen.length === 0 && answers.every(isClientError)) throw context.notApplicable('an empty list is refused')
      for (const { json } of await own.seen())
        context.expect('stop at the node, for an empty list', at(json, 'stop') ?? []).is([])
    },
  }),
  must('relay.messages-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact', 'message.roles-accepted'],
    cost: { requests: 2, tokens: 3400 },
    wrong: "A node was asked with messages other than the client's.",
    why: 'A client whose conversation is cut, merged or reordered gets the answer to another question.',
    fix: 'Pass on the messages unchanged and in order.',
    async run(context) {
      const own = await play(context, script)
      const conversation = [
        { role: 'system', content: 'Answer briefly.\n  Keep  the   spaces.' },
        { role: 'user', content: 'Zoë fragt: "日本語?" 👩‍💻 \\n \t' },
        { role: 'assistant', content: 'It costs $$ 5: $& $1 %41 %20 <b>x</b> &amp; “a”–‘b’ {{c}} \u200f\u202b\u2066.' },
        { role: 'user', content: 'Be polite from here on.' },
        { role: 'assistant', content: '' },
        { role: 'user', content: 'And again?' },
        { role: 'assistant', content: 'Yes. '.repeat(200) },
        ...Array.from({ length: 120 }, (_, at) => ({
          role: at % 2 === 0 ? 'user' : 'assistant',
          content: `Message ${at}.`,
        })),
        { role: 'user', content: own.prompt },
      ]
      for (const asked of await askedOf(own, { messages: conversation })) {
        context.expect('messages at the node', messagesIn(asked)).is(conversation)
      }
    },
  }),
  should('relay.odd-messages-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.messages-unchanged'],
    // A null character comes as an escape.
    sameCauseAs: ['relay.escapes-are-read'],
    cost: { requests: 10, tokens: 700 },
    wrong: 'Messages in an unusual order, or with unusual characters, reached the node changed.',
    why: 'What a gateway takes out of a conversation, its user can neither see nor ask for.',
    fix: 'Pass on what you serve as it is, and refuse what you do not serve.',
    async run(context) {
      let reached = 0
      for (const [what, messagesOf] of Object.entries(oddConversations)) {
        const own = await play(context, script)
        const messages = messagesOf(own.prompt)
        await own.reply({ messages })
        await own.stream({ messages })
        // What is refused reaches no node.
        const seen = await context.nodes.records(own.id)
        for (const { json } of seen) context.expect(`messages at the node: ${what}`, messagesIn(json)).is(messages)
        reached += seen.length
      }
      if (reached === 0) throw context.notApplicable('such conversations are refused')
    },
  }),
  must('relay.large-message-unchanged', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.messages-unchanged'],
    cost: { requests: 3, tokens: 180_000 },
    wrong: 'A large message did not reach the node unchanged.',
    why: 'Clients with large prompts get broken letters where two buffers meet.',
    fix: 'Join the bytes of a body before decoding them.',
    async run(context) {
      const own = await play(context, script)
      // Prefixes of none, one and two bytes: wherever a buffer ends, two of the three split a letter there.
      for (const prefix of ['', 'a', 'aa']) {
        const messages = [
          { role: 'user', content: prefix + '日本語、'.repeat(10_000) },
          noted,
          { role: 'user', content: own.prompt },
        ]
        await own.reply({ messages })
        const passed = (await own.seen()).map(({ json }) => textAt(json, 'messages', 0, 'content'))
        context
          .expect('characters of a large message at the node', passed.at(-1)?.length)
          .is(messages[0]?.content.length)
        context
          .expect('whether the large message reached the node unchanged', passed.includes(messages[0]?.content))
          .is(true)
      }
    },
  }),
  must('relay.escapes-are-read', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.unicode-unchanged'],
    cost: { requests: 1, tokens: 100 },
    wrong: 'A message written with JSON escapes reached the node changed.',
    why: 'Many clients write JSON in pure ASCII, so a bug in escapes hits all of their users.',
    fix: 'Parse JSON with a parser.',
    async run(context) {
      const own = await play(context, script)
      const content = 'Zoë "日本語" 👩‍💻 \\ / ½'
      const messages = [{ role: 'user', content }, noted, { role: 'user', content: own.prompt }]
      const text = JSON.stringify({ model: context.nodes.model, messages, max_tokens: 16 })
      await context.ask(inAscii(text))
      const [record] = await own.seen()
      context.expect('an escaped message at the node', textAt(record.json, 'messages', 0, 'content')).is(content)
    },
  }),
  must('relay.history-counts', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.messages-unchanged'],
    cost: { requests: 4, tokens: 300 },
    wrong: 'A conversation with another beginning did not reach the node.',
    why: 'A user gets the answer of another conversation when a cache goes only by the last message.',
    fix: 'Make the whole conversation part of the cache key, or do not cache.',
    async run(context) {
      for (const mode of ['reply', 'stream'] as const) {
        const own = await play(context, script)
        for (const first of ['My name is Ada.', 'My name is Grace.']) {
          const messages = [{ role: 'user', content: first }, noted, { role: 'user', content: own.prompt }]
          await own[mode]({ messages })
          const seen = (await own.seen()).map(({ json }) => textAt(json, 'messages', 0, 'content'))
          context.expect(`conversations at the node that begin with "${first}"`, seen.includes(first)).is(true)
        }
      }
    },
  }),
  must('relay.nothing-invented', {
    states: ['parameters-reach-the-node'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 2, tokens: 150 },
    wrong: 'A node was asked for settings that the client had not chosen.',
    why: 'Clients get worse replies when an invented default overrides what the model was tuned for.',
    fix: "Omit what the client left out, or send the contract's defaults.",
    async run(context) {
      for (const asked of await askedOf(await play(context, script), {})) {
        context.expect('temperature at the node, not set by the client', at(asked, 'temperature') ?? 1).is(1)
        context.expect('top_p at the node, not set by the client', at(asked, 'top_p') ?? 1).is(1)
        context
          .expect(
            'size of stop at the node, not set by the client',
            listAt(asked, 'stop').length + (textAt(asked, 'stop')?.length ?? 0),
          )
          .is(0)
        context.expect('n at the node, not set by the client', at(asked, 'n') ?? 1).is(1)
      }
    },
  }),
  open('relay.request-as-the-node-sees-it', {
    states: ['reply-headers-open'],
    needs: ['nodes'],
    dependsOn: ['relay.reply-text-exact'],
    cost: { requests: 1, tokens: 60 },
    why: 'Node operators want to know what a gateway adds to requests, as their servers have to accept it.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const own = await play(context, script)
      await own.reply()
      const [{ json, headers }] = await own.seen()
      return { fields: Object.keys(Object(json)).sort(), headers: Object.keys(headers).sort() }
    },
  }),
])
