import { asJson } from '../../wraps/json.ts'
import { replies, replyChoices, replyText } from '../../wraps/reply.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.3-chat-completion.ts` must notice. */
export const chatCompletionFaults = {
  'cache-serves-stored-replies': {
    about: 'A cache replays whole replies with their old ids, even to other keys.',
    breaks: ['completion.ids-unique', 'concurrency.keys-not-crossed'],
    follows: ['completion.ids-unique-at-zero'],
    wrap: () => {
      const cache = new Map<string, unknown>()
      return {
        completion: (real) => (parts, call) => {
          const key = JSON.stringify(call.body)
          const hit = cache.get(key) ?? asJson(real(parts, call))
          cache.set(key, hit)
          return hit
        },
      }
    },
  },
  'reply-id-missing': {
    about: 'A reply has no id.',
    breaks: ['completion.id', 'concurrency.keys-not-crossed'],
    wrap: () => replies(({ id: _, ...reply }) => reply),
  },
  'reply-id-empty-on-long-replies': {
    about: 'Replies of more than forty tokens have an empty id.',
    breaks: ['completion.id'],
    wrap: () => replies((reply, { completionTokens }) => (completionTokens > 40 ? { ...reply, id: '' } : reply)),
  },
  'reply-ids-repeat': {
    about: 'Every reply has the same id.',
    breaks: ['completion.ids-unique', 'concurrency.keys-not-crossed'],
    follows: ['completion.ids-unique-at-zero'],
    wrap: () => replies((reply) => ({ ...reply, id: 'chatcmpl-1' })),
  },
  'reply-object-of-a-chunk': {
    about: 'The object of a reply is `chat.completion.chunk`.',
    breaks: ['completion.object'],
    wrap: () => replies((reply) => ({ ...reply, object: 'chat.completion.chunk' })),
  },
  'reply-created-in-ms': {
    about: 'The created time of a reply is in milliseconds.',
    breaks: ['completion.created'],
    wrap: () => replies((reply, { created }) => ({ ...reply, created: created * 1000 })),
  },
  'reply-created-is-float': {
    about: 'The created time of a reply is written with a fraction.',
    breaks: ['completion.created'],
    wrap: () => replyText((text) => text.replace(/"created":(\d+)/, '"created":$1.0')),
  },
  'reply-created-is-string': {
    about: 'The created time of a reply is a string.',
    breaks: ['completion.created'],
    wrap: () => replies((reply, { created }) => ({ ...reply, created: String(created) })),
  },
  'reply-created-of-the-start': {
    about: 'Every reply has the created time of the first one.',
    breaks: ['completion.created-moves'],
    wrap: () => {
      let first: number | undefined
      return replies((reply, { created }) => {
        first ??= created
        return { ...reply, created: first }
      })
    },
  },
  'reply-created-missing': {
    about: 'A reply has no created time.',
    breaks: ['completion.created'],
    wrap: () => replies(({ created: _, ...reply }) => reply),
  },
  'reply-created-zero': {
    about: 'The created time of a reply is 0.',
    breaks: ['completion.created'],
    wrap: () => replies((reply) => ({ ...reply, created: 0 })),
  },
  'reply-names-backend-model': {
    about: "A reply names the model by its node's name for it.",
    breaks: ['completion.model'],
    wrap: () => replies((reply, { model }) => ({ ...reply, model: `backend/${model}-v2` })),
  },
  'reply-model-wrong-for-one': {
    about: 'One model answers under the name of another.',
    breaks: ['completion.model'],
    wrap: () => replies((reply, { model }) => (model === 'large' ? { ...reply, model: 'small' } : reply)),
  },
  'reply-index-missing': {
    about: 'A choice has no index.',
    breaks: ['completion.choice-index'],
    wrap: () => replyChoices(({ index: _, ...choice }) => choice),
  },
  'reply-index-from-one': {
    about: 'Choices are numbered from 1.',
    breaks: ['completion.choice-index'],
    wrap: () => replyChoices((choice) => ({ ...choice, index: 1 })),
  },
  'reply-role-bot': {
    about: 'The role of a reply is `bot`.',
    breaks: ['completion.role'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { ...asJson(choice['message']), role: 'bot' } })),
  },
  'reply-role-missing': {
    about: 'The message of a reply has no role.',
    breaks: ['completion.role'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { content: asJson(choice['message'])['content'] } })),
  },
  'reply-content-null': {
    about: 'The content of a reply is null.',
    breaks: ['completion.content', 'completion.text-not-empty', 'stream.false-means-json'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { role: 'assistant', content: null } })),
  },
  'reply-content-null-when-short': {
    about: 'The content of a one-token reply is null.',
    breaks: ['completion.content'],
    wrap: () =>
      replyChoices((choice, { completionTokens }) =>
        completionTokens === 1 ? { ...choice, message: { role: 'assistant', content: null } } : choice,
      ),
  },
  'reply-content-in-parts': {
    about: 'The content of a reply is a list of parts.',
    breaks: ['completion.content', 'completion.text-not-empty', 'stream.false-means-json'],
    wrap: () =>
      replyChoices((choice, { text }) => ({
        ...choice,
        message: { role: 'assistant', content: [{ type: 'text', text }] },
      })),
  },
  'reply-text-lost': {
    about: 'The text of a reply is empty, though tokens are counted.',
    breaks: ['completion.text-not-empty', 'stream.equals-reply-unicode'],
    wrap: () => replyChoices((choice) => ({ ...choice, message: { role: 'assistant', content: '' } })),
  },
  'reply-finish-reason-null': {
    about: 'The finish_reason of a reply is null.',
    breaks: ['completion.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: null })),
  },
  'reply-finish-reason-empty': {
    about: 'The finish_reason of a reply is an empty string.',
    breaks: ['completion.finish-reason'],
    wrap: () => replyChoices((choice) => ({ ...choice, finish_reason: '' })),
  },
  'reply-error-inside': {
    about: 'A reply carries an error next to its choices.',
    breaks: ['completion.no-error-inside'],
    wrap: () => replies((reply) => ({ ...reply, error: { message: 'node 3 timed out' } })),
  },
  'reply-second-choice-broken': {
    about: 'The first choice is followed by a second one without a message.',
    breaks: ['completion.matches-schema'],
    wrap: () =>
      replies((reply) => ({
        ...reply,
        choices: [...(Array.isArray(reply['choices']) ? reply['choices'] : []), { index: 1 }],
      })),
  },
  'reply-content-null-when-empty': {
    about: 'A reply without text has content null.',
    breaks: ['completion.content', 'stop.text-is-exact-prefix'],
    wrap: () =>
      replyChoices((choice, { text }) =>
        text === '' ? { ...choice, message: { role: 'assistant', content: null } } : choice,
      ),
  },
  'reply-created-in-local-time': {
    about: 'The created time of a reply is an hour ahead, as from a server that takes local time for UTC.',
    breaks: ['completion.created'],
    wrap: () => replies((reply) => ({ ...reply, created: Number(reply['created']) + 3600 })),
  },
} as const satisfies Record<string, Fault>
