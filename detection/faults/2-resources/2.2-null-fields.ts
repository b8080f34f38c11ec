import { asJson } from '../../wraps/json.ts'
import { messagesOf, readingMessages, refusing } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/2-resources/2.2-null-fields.ts` must notice. */
export const nullFieldsFaults = {
  'content-null-is-500': {
    about: 'Content of null crashes the handler.',
    breaks: ['message.content-null-refused'],
    wrap: () => refusing((body) => messagesOf(body).some((one) => asJson(one)['content'] === null), 500),
  },
  'role-null-is-user': {
    about: 'A message whose role is null counts as a user message.',
    breaks: ['message.role-null-refused'],
    wrap: () => readingMessages((one) => (asJson(one)['role'] === null ? { ...asJson(one), role: 'user' } : one)),
  },
} as const satisfies Record<string, Fault>
