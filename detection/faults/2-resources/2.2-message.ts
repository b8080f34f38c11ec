import { asJson, type Json } from '../../wraps/json.ts'
import { asksForStream, messagesOf, reading, readingMessages, refusing } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

const roles = ['system', 'user', 'assistant']

const greeting = { role: 'user', content: 'Hello.' }

/** Gateways that the checks of `suites/2-resources/2.2-message.ts` must notice. */
export const messageFaults = {
  'content-that-is-json-refused': {
    about: 'A message whose text is JSON itself is refused.',
    breaks: ['message.any-content-accepted'],
    wrap: () => refusing((body) => hasContent(body, /^[{[].*[}\]]$/)),
  },
  'content-zero-is-empty': {
    about: 'A message that says 0 is refused as empty.',
    breaks: ['message.any-content-accepted'],
    wrap: () => refusing((body) => messagesOf(body).some((one) => asJson(one)['content'] === '0')),
  },
  'system-role-is-500': {
    about: 'A system message that does not come first crashes the handler.',
    breaks: ['message.any-order-accepted'],
    wrap: () =>
      refusing(
        (body) =>
          messagesOf(body)
            .slice(1)
            .some((one) => roleOf(one) === 'system'),
        500,
      ),
  },
  'turns-must-alternate': {
    about: 'Two messages in a row with the same role are refused.',
    breaks: ['message.any-order-accepted'],
    wrap: () =>
      refusing((body) =>
        messagesOf(body).some(
          (one, index, all) => roles.includes(String(roleOf(one))) && roleOf(one) === roleOf(all[index + 1]),
        ),
      ),
  },
  'long-conversation-refused-in-streams': {
    about: 'Streams refuse conversations of more than three messages.',
    breaks: ['message.roles-accepted'],
    wrap: () => refusing((body) => asksForStream(body) && messagesOf(body).length > 3),
  },
  'conversation-above-hundred-refused': {
    about: 'More than a hundred messages are refused.',
    breaks: ['message.long-conversation-accepted'],
    wrap: () => refusing((body) => messagesOf(body).length > 100),
  },
  'conversation-above-thirty-two-is-500': {
    about: 'More than 32 messages crash the handler.',
    breaks: ['message.long-conversation-accepted'],
    follows: ['usage.history-counts'],
    wrap: () => refusing((body) => messagesOf(body).length > 32, 500),
  },
  'emoji-refused': {
    about: 'A message of nothing but emoji is refused.',
    breaks: ['message.unicode-accepted'],
    follows: ['usage.every-script-counts'],
    wrap: () => refusing((body) => hasContent(body, /^\p{Extended_Pictographic}\P{L}*$/u)),
  },
  'right-to-left-is-500': {
    about: 'Arabic text crashes the tokeniser.',
    breaks: ['message.unicode-accepted'],
    wrap: () => refusing((body) => hasContent(body, /^\p{Script=Arabic}/u), 500),
  },
  'unicode-refused-in-streams': {
    about: 'Streams refuse text with a line separator (U+2028) in it.',
    breaks: ['message.unicode-accepted'],
    wrap: () => refusing((body) => asksForStream(body) && hasContent(body, /\u2028/)),
  },
  'role-missing-served': {
    about: "A message without a role is taken as the user's.",
    breaks: ['message.role-required'],
    wrap: () =>
      readingMessages((one) =>
        roleOf(one) === undefined && typeof one === 'object' && one !== null && !Array.isArray(one) ? mended(one) : one,
      ),
  },
  'role-missing-in-the-middle-served': {
    about: 'Only the first and the last message need a role.',
    breaks: ['message.role-required'],
    wrap: () =>
      readingMessages((one, index, all) =>
        index > 0 && index < all.length - 1 && roleOf(one) === undefined && contentOf(one) !== 'undefined'
          ? mended(one)
          : one,
      ),
  },
  'content-missing-served': {
    about: 'A message without content is taken as an empty one.',
    breaks: ['message.content-required'],
    wrap: () =>
      readingMessages((one) => (asJson(one)['content'] === undefined && roleOf(one) !== undefined ? mended(one) : one)),
  },
  'content-checked-on-last-message-only': {
    about: 'Only the last message needs content.',
    breaks: ['message.content-required'],
    wrap: () =>
      readingMessages((one, index, all) =>
        index < all.length - 1 && asJson(one)['content'] === undefined && roleOf(one) !== undefined ? mended(one) : one,
      ),
  },
  'unknown-role-coerced-to-user': {
    about: "A message with an unknown role is taken as the user's.",
    breaks: ['message.unknown-role-refused'],
    wrap: () => readingMessages((one) => (isUnknown(roleOf(one)) ? { ...asJson(one), role: 'user' } : one)),
  },
  'unknown-role-dropped': {
    about: 'A message with an unknown role is dropped unless it is the last.',
    breaks: ['message.unknown-role-refused'],
    wrap: () =>
      readingMessages((one, index, all) => (isUnknown(roleOf(one)) && index < all.length - 1 ? undefined : one)),
  },
  'role-without-case': {
    about: 'Roles are compared without regard to case.',
    breaks: ['message.unknown-role-refused'],
    wrap: () =>
      readingMessages((one) =>
        typeof roleOf(one) === 'string' ? { ...asJson(one), role: String(roleOf(one)).toLowerCase() } : one,
      ),
  },
  'role-trimmed': {
    about: 'White space around a role is silently trimmed.',
    breaks: ['message.unknown-role-refused'],
    wrap: () =>
      readingMessages((one) =>
        typeof roleOf(one) === 'string' ? { ...asJson(one), role: String(roleOf(one)).trim() } : one,
      ),
  },
  'unknown-role-served-in-streams': {
    about: 'Streams accept any role.',
    breaks: ['message.unknown-role-refused'],
    wrap: () =>
      reading((body) =>
        asksForStream(body) && messagesOf(body).some((one) => roleOf(one) === 'bogus')
          ? { ...body, messages: [greeting] }
          : body,
      ),
  },
  'role-missing-is-500': {
    about: 'A message without a role crashes the chat template.',
    breaks: ['message.missing-field-is-client-error'],
    wrap: () => refusing((body) => messagesOf(body).some((one) => Object.keys(asJson(one)).join() === 'content'), 500),
  },
  'content-missing-is-500': {
    about: 'A message without content after others crashes the chat template.',
    breaks: ['message.missing-field-is-client-error'],
    wrap: () =>
      refusing((body) => messagesOf(body).some((one, at) => at > 0 && Object.keys(asJson(one)).join() === 'role'), 500),
  },
  'unknown-role-is-500': {
    about: 'An unknown role crashes the chat template.',
    breaks: ['message.unknown-role-refused'],
    wrap: () => refusing((body) => messagesOf(body).some((one) => roleOf(one) === 'bogus'), 500),
  },
  'content-number-coerced': {
    about: 'Content that is a number is converted to a string.',
    breaks: ['message.wrong-type-refused'],
    wrap: () =>
      readingMessages((one) =>
        typeof asJson(one)['content'] === 'number' ? { ...asJson(one), content: contentOf(one) } : one,
      ),
  },
  'bad-message-among-good-dropped': {
    about: 'An element that is not a message is dropped when good ones surround it.',
    breaks: ['message.wrong-type-refused'],
    wrap: () =>
      readingMessages((one, index, all) =>
        index > 0 && index < all.length - 1 && (typeof one !== 'object' || one === null) ? undefined : one,
      ),
  },
  'message-string-served': {
    about: 'A string among the messages is taken as a user message.',
    breaks: ['message.wrong-type-refused'],
    wrap: () => readingMessages((one) => (typeof one === 'string' ? { role: 'user', content: one } : one)),
  },
  'messages-empty-is-500': {
    about: 'An empty list of messages crashes the handler.',
    breaks: ['message.empty-no-server-error'],
    wrap: () => refusing((body) => Array.isArray(body['messages']) && body['messages'].length === 0, 500),
  },
  'messages-empty-is-500-in-streams': {
    about: 'An empty list of messages crashes the streaming handler.',
    breaks: ['message.empty-no-server-error'],
    wrap: () =>
      refusing((body) => asksForStream(body) && Array.isArray(body['messages']) && body['messages'].length === 0, 500),
  },
  'blank-content-is-500': {
    about: 'A message of nothing but white space crashes the tokeniser.',
    breaks: ['message.empty-no-server-error'],
    wrap: () => refusing((body) => hasContent(body, /^\s+$/), 500),
  },
  'no-user-message-is-500': {
    about: 'A conversation without a user message crashes the handler.',
    breaks: ['message.empty-no-server-error'],
    wrap: () => refusing((body) => messagesOf(body).length === 1 && roleOf(messagesOf(body)[0]) === 'system', 500),
  },
  'nul-is-500': {
    about: 'A NUL character in a message crashes the database.',
    breaks: ['message.odd-text-no-server-error'],
    wrap: () => refusing((body) => hasContent(body, /\0/), 500),
  },
  'lone-surrogate-is-500': {
    about: 'Half an emoji, a lone surrogate, crashes the encoder.',
    breaks: ['message.odd-text-no-server-error'],
    wrap: () => refusing((body) => messagesOf(body).some((one) => !contentOf(one).isWellFormed()), 500),
  },
  'special-token-is-500': {
    about: 'A message that contains a special token of the tokeniser crashes the handler.',
    breaks: ['message.odd-text-no-server-error'],
    wrap: () => refusing((body) => hasContent(body, /<\|endoftext\|>/), 500),
  },
  'assistant-first-refused': {
    about: 'A conversation that begins with an assistant message is refused.',
    breaks: ['message.any-order-accepted'],
    wrap: () => refusing((body) => asJson(messagesOf(body)[0])['role'] === 'assistant'),
  },
  'role-list-is-500': {
    about: 'A message whose role is a list crashes the handler.',
    breaks: ['message.wrong-type-refused'],
    wrap: () =>
      refusing(
        (body) => Array.isArray(body['messages']) && body['messages'].some((one) => Array.isArray(asJson(one)['role'])),
        500,
      ),
  },
} as const satisfies Record<string, Fault>

/** A message with what is missing filled in. */
function mended(message: unknown): unknown {
  return { ...greeting, ...asJson(message) }
}

function roleOf(message: unknown): unknown {
  return asJson(message)['role']
}

function contentOf(message: unknown): string {
  return String(asJson(message)['content'])
}

function hasContent(body: Json, pattern: RegExp): boolean {
  return messagesOf(body).some((one) => pattern.test(contentOf(one)))
}

function isUnknown(role: unknown): boolean {
  return typeof role === 'string' && !roles.includes(role)
}
