import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { listAt } from '../../src/json.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import { isSuccess } from '../../src/target/answer.ts'
import { failsInItsStream } from '../../src/target/served.ts'

const user = { role: 'user', content: 'Say hello.' }
const system = { role: 'system', content: 'Be brief.' }
const assistant = { role: 'assistant', content: 'Hello.' }

const everyPlace = (bad: unknown): readonly (readonly unknown[])[] => [
  [bad],
  [bad, user],
  [user, bad, user],
  [user, assistant, bad],
]

/** Each of the conversations gets a reply; a quick run sends some of them. */
async function expectReplies(
  { few, ask, expect }: CheckContext,
  conversations: readonly (readonly { readonly role: string }[])[],
): Promise<void> {
  await sideBySide(few(conversations), async (messages) => {
    const reply = await ask({ messages })
    const roles = messages.map(({ role }) => role).join(', ')
    expect(`choices for ${roles}`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
  })
}

export const message = clause('2.2', [
  must('message.roles-accepted', {
    states: ['message-role-known'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 400, quick: 3 },
    wrong: 'A conversation of system, user and assistant messages got no reply.',
    coversNoReply: true,
    why: 'Agents break without system messages and histories.',
    fix: 'Accept system, user and assistant messages.',
    async run(context) {
      await expectReplies(context, [[user], [system, user], [user, assistant, user], [system, user, assistant, user]])
      if (!context.prepared.works.stream) return
      const stream = await context.askStream({ messages: [system, user, assistant, user] })
      context.expect('data events for a conversation', stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  must('message.any-order-accepted', {
    states: ['message-role-known'],
    dependsOn: ['message.roles-accepted'],
    cost: { requests: 4, tokens: 240, quick: 4 },
    wrong: 'A conversation whose roles do not take turns got no reply.',
    coversNoReply: true,
    why: 'Agents add a system message in the middle, and send two user messages in a row.',
    fix: 'Accept the roles in any order and number.',
    run: (context) =>
      expectReplies(context, [
        [user, user],
        [system, system, user],
        [user, system, user],
        [assistant, user],
      ]),
  }),
  must('message.long-conversation-accepted', {
    states: ['message-role-known'],
    dependsOn: ['chat.answers'],
    sameCauseAs: ['message.roles-accepted'],
    cost: { requests: 2, tokens: 2400, quick: 2 },
    wrong: 'A long conversation got no reply.',
    coversNoReply: true,
    why: 'A conversation grows by two messages a turn, and a hidden bound on their number ends it for the user.',
    fix: 'Bound the conversation only by its tokens.',
    async run({ few, ask, expect }) {
      for (const turns of few([20, 60])) {
        const messages = [system, ...Array.from({ length: turns }, () => [user, assistant]).flat(), user]
        const reply = await ask({ messages })
        expect(`choices for ${messages.length} messages`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      }
    },
  }),
  must('message.any-content-accepted', {
    states: ['message-content-string'],
    dependsOn: ['chat.answers'],
    sameCauseAs: ['message.unicode-accepted'],
    cost: { requests: 9, tokens: 600, quick: 2 },
    wrong: 'A text that looks like code or JSON got no reply.',
    coversNoReply: true,
    why: 'Users send programs and documents, which must not trip a template, a filter or a truth test of the gateway.',
    fix: 'Treat the content as text, whatever it looks like.',
    async run({ few, ask, expect }) {
      const contents = [
        'a {{ b }} {% c %} $d %s %(e)s',
        'one { brace',
        'one } brace',
        '{"a":1}',
        '[1,2]',
        'null',
        '0',
        'false',
        '<script>alert(1)</script> &amp; <|im_start|>',
      ]
      await sideBySide(few(contents), async (content) => {
        const reply = await ask({ messages: [{ role: 'user', content }] })
        expect(`choices for the content ${content}`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      })
    },
  }),
  must('message.unicode-accepted', {
    states: ['message-content-string'],
    dependsOn: ['chat.answers'],
    cost: { requests: 9, tokens: 700, quick: 3 },
    wrong: 'A text with letters outside ASCII, or with escapes, got no reply.',
    coversNoReply: true,
    why: 'Most people do not write in ASCII, and must not be refused for it.',
    fix: 'Read the body as UTF-8, pass text on as it is, and escape it wherever it is put into JSON.',
    async run({ few, ask, askStream, prepared, expect }) {
      const texts = [
        '日本語のテキスト',
        'Привет, мир',
        'مرحبا بالعالم',
        '👩‍👩‍👧‍👦🏳️‍🌈',
        'e\u0301 and é',
        'a\u200bb\u2028c',
        '"quotes" \\ / \t',
        'line one\nline two\r\n',
      ]
      await sideBySide(few(texts), async (content) => {
        const reply = await ask({ messages: [{ role: 'user', content }] })
        expect(`choices for ${JSON.stringify(content)}`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      })
      if (!prepared.works.stream) return
      const stream = await askStream({ messages: [{ role: 'user', content: texts.join(' ') }] })
      expect('data events for a stream with all of these texts', stream.chunks.length, stream).isAtLeast(1)
    },
  }),
  must('message.role-required', {
    states: ['message-role-required'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 60, quick: 2 },
    wrong: 'A message without a role was served.',
    why: 'A client whose message names no speaker gets an answer as if somebody had said it.',
    fix: 'Refuse a message without `role` with a 4xx, wherever it stands.',
    async run({ few, probe, expect }) {
      await sideBySide(few(everyPlace({ content: 'Say hello.' })), async (messages) => {
        const answer = await probe({ messages })
        expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      })
    },
  }),
  must('message.content-required', {
    states: ['message-content-required'],
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 60, quick: 2 },
    wrong: 'A message without content was served.',
    why: 'Servers that accept a message without text crash later, or bill the client for nothing.',
    fix: 'Refuse a message without `content` with a 4xx, wherever it stands.',
    async run({ few, probe, expect }) {
      await sideBySide(few(everyPlace({ role: 'user' })), async (messages) => {
        const answer = await probe({ messages })
        expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).satisfies('no 2xx', !isSuccess(answer))
      })
    },
  }),
  should('message.missing-field-is-client-error', {
    states: ['client-errors-are-4xx'],
    dependsOn: ['chat.answers'],
    cost: { requests: 8, tokens: 480, quick: 2 },
    wrong: 'A message without role or content was refused with a status that is no 4xx.',
    why: 'SDKs retry a 5xx, so a message that can never be answered is sent again and again.',
    fix: 'Answer 400 or 422 when a message lacks its `role` or its `content`.',
    async run({ few, probe, expect, notApplicable }) {
      let refused = 0
      const incomplete = [...everyPlace({ content: 'Say hello.' }), ...everyPlace({ role: 'user' })]
      await sideBySide(few(incomplete), async (messages) => {
        const answer = await probe({ messages })
        // Whether it may be served is another check's to judge.
        if (isSuccess(answer)) return
        refused += 1
        expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).isStatus('4xx')
      })
      if (refused === 0) throw notApplicable('messages without a field are served, which other checks report')
    },
  }),
  should('message.unknown-role-refused', {
    states: ['message-role-known'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 12, tokens: 60, quick: 4 },
    wrong: 'A message of an unknown role was not refused with a 4xx.',
    why: 'A message with a mistyped role vanishes or changes its speaker, and the client is not told.',
    fix: 'Refuse an unknown role with a 4xx, wherever it stands.',
    async run({ few, probe, probeStream, expect }) {
      const conversations = few(['assistent', 'User', 'bogus', 'bot', 'human', '', ' user']).flatMap((role) =>
        few(everyPlace({ role, content: 'Say hello.' }).slice(0, role === 'assistent' ? 4 : 1)),
      )
      await sideBySide(conversations, async (messages) => {
        const answer = await probe({ messages })
        expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).isStatus('4xx')
      })
      const streamed = await probeStream({ messages: [{ role: 'bogus', content: 'Say hello.' }] })
      if (!failsInItsStream(streamed))
        expect('status for the role bogus, streaming', streamed.status, streamed).isStatus('4xx')
    },
  }),
  should('message.wrong-type-refused', {
    states: ['wrong-types-are-refused'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    // A decoder that fills in what is missing makes a message of null, too.
    sameCauseAs: ['message.role-required'],
    cost: { requests: 20, tokens: 60, quick: 4 },
    wrong: 'A message, role or content of a wrong type was not refused with a 4xx.',
    why: "One client's bad message can crash code that expects a string, and the server with it.",
    fix: 'Validate each message: an object whose role and content are strings.',
    async run({ few, probe, expect }) {
      const bad = [
        ...[5, true, {}].map((content) => ({ role: 'user', content })),
        ...[5, [], {}].map((role) => ({ role, content: 'Say hello.' })),
        'hello',
        5,
        null,
        [],
      ]
      const conversations = few(bad).flatMap((one) => [[one], [user, one, user]])
      await sideBySide(conversations, async (messages) => {
        const answer = await probe({ messages })
        expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).isStatus('4xx')
      })
    },
  }),
  should('message.empty-no-server-error', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 5, tokens: 300, quick: 3 },
    wrong: 'An empty conversation, or one with no question, got neither a 2xx nor a 4xx.',
    why: 'Code that looks at the last message crashes on an empty list, and the client gets a 5xx.',
    fix: 'Refuse an empty list with a 4xx; accept an empty text or refuse it with a 4xx.',
    async run({ few, probe, probeStream, prepared, expect }) {
      for (const messages of few([[], [{ role: 'user', content: '' }], [{ role: 'user', content: '   ' }], [system]])) {
        const answer = await probe({ messages })
        expect(`status for ${JSON.stringify(messages)}`, answer.status, answer).isStatus('2xx', '4xx')
      }
      if (!prepared.works.stream) return
      const streamed = await probeStream({ messages: [] })
      expect('status for an empty list, streaming', streamed.status, streamed).isStatus('2xx', '4xx')
    },
  }),
  open('message.empty', {
    states: ['empty-messages-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 180, quick: 2 },
    why: 'Gateways differ on empty lists and empty texts, and clients want to know.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ probe }) {
      return {
        'no message': (await probe({ messages: [] })).status,
        'empty text': (await probe({ messages: [{ role: 'user', content: '' }] })).status,
      }
    },
  }),
  should('message.odd-text-no-server-error', {
    states: ['client-errors-are-4xx'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    sameCauseAs: ['message.unicode-accepted'],
    cost: { requests: 12, tokens: 900, quick: 2 },
    wrong: 'A text with odd characters got neither a 2xx nor a 4xx.',
    why: 'Half an emoji from a client that cuts strings, or a NUL from a paste, has crashed encoders and databases.',
    fix: 'Take any JSON string: replace what cannot be encoded, or refuse it with a 4xx.',
    async run({ few, probe, expect, model }) {
      const escapes = [
        '\\ud83d',
        '\\udc00 x',
        '\\u0000',
        '\\u0001\\u001f',
        '\\u007f',
        '\\ufffe',
        '\\ufeff',
        '\\u2028',
        '<|endoftext|>',
        '\\u200d\\u202e',
      ]
      await sideBySide(few(escapes), async (escaped) => {
        const answer = await probe(
          `{"model":${JSON.stringify(model)},"messages":[{"role":"user","content":"Say ${escaped} hello."}],"max_tokens":8}`,
        )
        expect(`status for a text with ${escaped}`, answer.status, answer).isStatus('2xx', '4xx')
      })
    },
  }),
])
