import type { Call, Wrap } from '../../../reference-server/gateway/seams.ts'
import type { Job, Message } from '../../../reference-server/network/node.ts'
import { asJson } from '../../wraps/json.ts'
import { askingNodes, isRelayedCall } from '../../wraps/relay.ts'
import { bufferSize, readingText } from '../../wraps/request.ts'
import { isStream } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.1-relayed-request.ts` must notice. */
export const relayedRequestFaults = {
  'body-decoded-by-64-kilobytes': {
    about: 'Bodies are decoded in pieces of 64 KB: a character split between two pieces is broken.',
    breaks: ['relay.large-message-unchanged'],
    wrap: () => ({
      parseBody: (real) => (bytes, call) => {
        if (!bytes.includes('"scripted"')) return real(bytes, call)
        let text = ''
        for (let at = 0; at < bytes.length; at += bufferSize) text += bytes.subarray(at, at + bufferSize).toString()
        return real(Buffer.from(text), call)
      },
    }),
  },
  'escape-of-one-letter-misread': {
    about: 'One escaped letter is read as another letter that costs the same.',
    breaks: ['relay.escapes-are-read'],
    wrap: () => readingText((text) => text.replaceAll('\\u00eb', '\\u00ea')),
  },
  'history-forgotten-by-a-cache': {
    about: 'Replies are cached by the last message only, so the conversation before it is ignored.',
    breaks: ['relay.history-counts'],
    follows: ['relay.large-message-unchanged'],
    wrap: () => {
      const kept = new Map<string, readonly string[]>()
      return {
        generate: (real) =>
          async function* (node, job, signal, call) {
            if (!isRelayedCall(call) || job.messages.length < 3) return yield* real(node, job, signal, call)
            const request = JSON.stringify([job.messages.at(-1), call.body?.stream])
            const texts: string[] = []
            const known = kept.get(request)
            if (known !== undefined) {
              for (const text of known) yield { text, tokens: 1 }
              return 'stop'
            }
            const reply = real(node, job, signal, call)
            for (;;) {
              const step = await reply.next()
              if (step.done) {
                kept.set(request, texts)
                return step.value
              }
              texts.push(step.value.text)
              yield step.value
            }
          },
      }
    },
  },
  'relay-temperature-zero-lost': {
    about: 'A temperature of 0 is taken as missing.',
    breaks: ['relay.temperature-unchanged'],
    wrap: () => askingNodesFor(({ temperature }) => ({ temperature: temperature || 1 })),
  },
  'relay-temperature-capped': {
    about: 'The node is asked for a temperature of at most 1.',
    breaks: ['relay.temperature-unchanged'],
    wrap: () => askingNodesFor(({ temperature }) => ({ temperature: Math.min(1, temperature) })),
  },
  'relay-temperature-lost-in-streams': {
    about: 'For streams, the temperature does not reach the node.',
    breaks: ['relay.temperature-unchanged'],
    wrap: () => askingNodes((job, call) => (isStream(call) ? { ...job, temperature: 1 } : job)),
  },
  'relay-temperature-rounded': {
    about: 'The temperature is rounded to halves for the node.',
    breaks: ['relay.temperature-unchanged'],
    wrap: () => askingNodesFor(({ temperature }) => ({ temperature: Math.round(temperature * 2) / 2 })),
  },
  'relay-temperature-invented': {
    about: 'When the request has no temperature, the node is asked for 0.7.',
    breaks: ['relay.nothing-invented'],
    wrap: () => askingNodes((job, { body }) => (body?.temperature === 1 ? { ...job, temperature: 0.7 } : job)),
  },
  'relay-top-p-lost': {
    about: 'top_p does not reach the node.',
    breaks: ['relay.top-p-unchanged'],
    wrap: () => askingNodesFor(() => ({ topP: 1 })),
  },
  'relay-top-p-floored': {
    about: 'The node is asked for a top_p of at least 0.1.',
    breaks: ['relay.top-p-unchanged'],
    wrap: () => askingNodesFor(({ topP }) => ({ topP: Math.max(0.1, topP) })),
  },
  'relay-top-p-invented': {
    about: 'When the request has no top_p, the node is asked for 0.95.',
    breaks: ['relay.nothing-invented', 'relay.top-p-unchanged'],
    wrap: () => askingNodesFor(({ topP }) => ({ topP: topP === 1 ? 0.95 : topP })),
  },
  'relay-limit-doubled': {
    about: 'The node is asked for twice the tokens that max_tokens allows.',
    breaks: ['relay.max-tokens-unchanged', 'max-tokens.limits-each-model'],
    wrap: () => askingNodesFor(({ tokensMax }) => ({ tokensMax: tokensMax * 2 })),
  },
  'relay-limit-at-least-sixteen': {
    about: 'The node is asked for at least 16 tokens.',
    breaks: ['relay.max-tokens-unchanged', 'max-tokens.limits-each-model'],
    wrap: () => askingNodesFor(({ tokensMax }) => ({ tokensMax: Math.max(16, tokensMax) })),
  },
  'relay-stop-lost': {
    about: 'Stop sequences do not reach the node.',
    breaks: ['relay.stop-unchanged', 'stop.ends-text-each-model'],
    wrap: () => askingNodesFor(() => ({ stop: [] })),
  },
  'relay-first-stop-alone': {
    about: 'Only the first of several stop sequences reaches the node.',
    breaks: ['relay.stop-unchanged'],
    wrap: () => askingNodesFor(({ stop }) => ({ stop: stop.slice(0, 1) })),
  },
  'relay-first-four-stops-alone': {
    about: 'Of a list of more than four stop sequences, only the first four are read.',
    breaks: ['relay.stop-unchanged'],
    wrap: () => ({
      validate: (real) => (value, call) => {
        const { stop, ...rest } = asJson(value)
        return real(Array.isArray(stop) ? { ...rest, stop: stop.slice(0, 4) } : value, call)
      },
    }),
  },
  'relay-stop-trimmed': {
    about: 'Stop sequences are trimmed for the node, and empty ones dropped.',
    breaks: ['relay.stop-unchanged', 'stop.ends-text-each-model'],
    wrap: () => askingNodesFor(({ stop }) => ({ stop: stop.map((one) => one.trim()).filter((one) => one !== '') })),
  },
  'relay-stop-escaped': {
    about: 'Characters of stop sequences are escaped as in a regular expression.',
    breaks: ['relay.stop-unchanged'],
    wrap: () => askingNodesFor(({ stop }) => ({ stop: stop.map((one) => one.replace(/[.*]/g, '\\$&')) })),
  },
  'relay-stop-invented': {
    about: 'When the request has no stop sequences, the node is asked to stop at the next question.',
    breaks: ['relay.nothing-invented'],
    wrap: () => askingNodesFor(({ stop }) => ({ stop: stop.length === 0 ? ['\nuser:'] : stop })),
  },
  'relay-last-message-alone': {
    about: 'The node gets only the last message.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingMessages((messages) => messages.slice(-1)),
  },
  'relay-system-message-lost': {
    about: 'System messages do not reach the node.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingMessages((messages) => messages.filter(({ role }) => role !== 'system')),
  },
  'relay-system-message-as-user': {
    about: 'System messages reach the node as user messages.',
    breaks: ['relay.messages-unchanged'],
    wrap: () =>
      rewordingMessages((messages) =>
        messages.map(({ role, content }) => ({ role: role === 'system' ? 'user' : role, content })),
      ),
  },
  'relay-system-message-added': {
    about: 'The gateway puts a system message of its own before every conversation.',
    breaks: ['relay.messages-unchanged'],
    wrap: () =>
      rewordingMessages((messages) => [{ role: 'system', content: 'You are a helpful assistant.' }, ...messages]),
  },
  'relay-late-system-messages-moved': {
    about: 'A system message in the middle reaches the node as the first one.',
    breaks: ['relay.odd-messages-unchanged'],
    wrap: () =>
      rewordingMessages((messages) => messages.toSorted((one, other) => systemFirst(one) - systemFirst(other))),
  },
  'relay-messages-of-one-role-merged': {
    about: 'Two messages of one role in a row reach the node as one.',
    breaks: ['relay.odd-messages-unchanged'],
    wrap: () => rewordingMessages(mergedByRole),
  },
  'relay-conversation-beyond-fifty-cut': {
    about: 'Of a conversation of more than fifty messages the node gets the system message and the last fifty.',
    breaks: ['relay.messages-unchanged'],
    wrap: () =>
      rewordingMessages((messages) =>
        messages.filter(({ role }, at) => role === 'system' || at >= messages.length - 50),
      ),
  },
  'relay-empty-messages-dropped': {
    about: 'Messages without text do not reach the node.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingMessages((messages) => messages.filter(({ content }) => content !== '')),
  },
  'relay-begun-reply-dropped': {
    about: 'A reply that the client has begun at the end of the conversation does not reach the node.',
    breaks: ['relay.odd-messages-unchanged'],
    wrap: () =>
      askingNodes((job) =>
        job.messages.at(-1)?.role === 'assistant' ? { ...job, messages: job.messages.slice(0, -1) } : job,
      ),
  },
  'relay-text-ends-at-a-null': {
    about: 'A message ends for the node at its first null character.',
    breaks: ['relay.odd-messages-unchanged'],
    wrap: () => rewordingEachMessage((text) => text.replace(/\0[^.]*/, '')),
  },
  'relay-marks-removed': {
    about: 'Marks of chat templates are taken out of messages.',
    breaks: ['relay.odd-messages-unchanged'],
    wrap: () => rewordingEachMessage((text) => text.replace(/<\|[a-z_]+\|>/g, '')),
  },
  'relay-empty-list-becomes-an-object': {
    about: 'An empty list of stop sequences is served, and reaches the node as an empty object.',
    breaks: ['relay.empty-stop-list-is-none'],
    follows: ['relay.every-request-unchanged'],
    wrap: () => {
      const asked = new WeakSet<Call>()
      return {
        parseBody: (real) => (bytes, call) => {
          const body = real(bytes, call)
          const { stop, ...rest } = asJson(body)
          if (!Array.isArray(stop) || stop.length > 0) return body
          asked.add(call)
          return rest
        },
        writeRequest: (real) => (request, call) => {
          const honest = real(request, call)
          return isRelayedCall(call) && asked.has(call) ? { ...honest, body: { ...honest.body, stop: {} } } : honest
        },
      }
    },
  },
  'relay-messages-trimmed': {
    about: 'Messages are trimmed for the node.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingEachMessage((content) => content.trim()),
  },
  'relay-spaces-collapsed': {
    about: 'Several spaces in a row in a message become one.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingEachMessage((content) => content.replace(/ {2,}/g, ' ')),
  },
  'relay-long-messages-cut': {
    about: 'Messages are cut after 800 characters.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingEachMessage((content) => content.slice(0, 800)),
  },
  'relay-messages-in-ascii': {
    about: 'Letters beyond Latin-1 reach the node as question marks.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingEachMessage((content) => content.replace(/[\u0100-\uffff]/g, '?')),
  },
  'relay-messages-of-the-assistant-lost': {
    about: 'Earlier assistant messages do not reach the node.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingMessages((messages) => messages.filter(({ role }) => role !== 'assistant')),
  },
  'relay-history-is-cut': {
    about: 'The node gets only the last twenty messages of a conversation.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingMessages((messages) => messages.slice(-20)),
  },
  'relay-fills-templates': {
    about: 'Messages pass through a text replacement that gives $ and & a meaning of their own.',
    breaks: ['relay.messages-unchanged'],
    wrap: () => rewordingEachMessage((content) => content.replaceAll('$$', '$')),
  },
} as const satisfies Record<string, Fault>

function mergedByRole(messages: readonly Message[]): readonly Message[] {
  const merged: Message[] = []
  for (const { role, content } of messages) {
    const last = merged.at(-1)
    if (last?.role === role) merged[merged.length - 1] = { role, content: `${last.content}\n\n${content}` }
    else merged.push({ role, content })
  }
  return merged
}

const systemFirst = ({ role }: Message): number => (role === 'system' ? 0 : 1)

/** Changes the messages on their way to the node. */
function rewordingMessages(change: (messages: readonly Message[]) => readonly Message[]): Wrap {
  return askingNodes((job) => ({ ...job, messages: change(job.messages) }))
}

/** Changes the text of each message on its way to the node. */
function rewordingEachMessage(change: (content: string) => string): Wrap {
  return rewordingMessages((messages) => messages.map((message) => ({ ...message, content: change(message.content) })))
}

/** Asks the node for other values of some fields. */
function askingNodesFor(change: (job: Job) => Partial<Job>): Wrap {
  return askingNodes((job) => ({ ...job, ...change(job) }))
}
