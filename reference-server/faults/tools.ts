import { setTimeout } from 'node:timers/promises'
import { GatewayError } from '../gateway/gateway-error.ts'
import type { Call, ChunkParts, CompletionParts, Wrap } from '../gateway/seams.ts'

/** A JSON object as a fault changes it. */
export type Json = Readonly<Record<string, unknown>>

export function asJson(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}

export function refusal(status: number, message = 'This gateway does not take that.'): GatewayError {
  return new GatewayError(message, { status, type: 'invalid_request_error', code: 'refused' })
}

/** Refuses bodies that an honest gateway takes. */
export function refusing(when: (body: Json, call: Call) => boolean, status = 400): Wrap {
  return {
    validate: (real) => (value, call) => {
      if (when(asJson(value), call)) throw refusal(status)
      return real(value, call)
    },
  }
}

/** Reads another body than the one that came: that is how a wrong one gets through. */
export function reading(change: (body: Json, call: Call) => unknown): Wrap {
  return {
    validate: (real) => (value, call) =>
      real(typeof value === 'object' && value !== null ? change(asJson(value), call) : value, call),
  }
}

/** Drops fields that are wrong, as a gateway that does not look at them would. */
export function dropping(name: string, when: (value: unknown, body: Json, call: Call) => boolean): Wrap {
  return reading((body, call) => {
    if (!(name in body) || !when(body[name], body, call)) return body
    const { [name]: _, ...rest } = body
    return rest
  })
}

/** Answers a refusal of the honest validation with another status. */
export function refusingWith(status: number, when: (body: Json, call: Call) => boolean): Wrap {
  return {
    validate: (real) => (value, call) => {
      try {
        return real(value, call)
      } catch (error) {
        throw when(asJson(value), call) ? refusal(status) : error
      }
    },
  }
}

export function replies(change: (reply: Json, parts: CompletionParts, call: Call) => unknown): Wrap {
  return { completion: (real) => (parts, call) => change(asJson(real(parts, call)), parts, call) }
}

/** Changes the one choice of a reply. */
export function replyChoices(change: (choice: Json, parts: CompletionParts, call: Call) => unknown): Wrap {
  return replies((reply, parts, call) => ({
    ...reply,
    choices: firstChoice(reply, (choice) => change(choice, parts, call)),
  }))
}

export function usages(change: (usage: Json, parts: CompletionParts, call: Call) => unknown): Wrap {
  return replies((reply, parts, call) => ({ ...reply, usage: change(asJson(reply['usage']), parts, call) }))
}

export function chunks(change: (chunk: Json, parts: ChunkParts, call: Call) => unknown): Wrap {
  return { chunk: (real) => (parts, call) => change(asJson(real(parts, call)), parts, call) }
}

/** Changes the one choice of a chunk. */
export function chunkChoices(change: (choice: Json, parts: ChunkParts, call: Call) => unknown): Wrap {
  return chunks((chunk, parts, call) => ({
    ...chunk,
    choices: firstChoice(chunk, (choice) => change(choice, parts, call)),
  }))
}

function firstChoice(holder: Json, change: (choice: Json) => unknown): unknown {
  const [choice] = Array.isArray(holder['choices']) ? holder['choices'] : []
  return [change(asJson(choice))]
}

/** Changes the elements of the model list. */
export function listed(change: (model: Json, index: number) => unknown): Wrap {
  return lists((list) => ({
    ...list,
    data: (Array.isArray(list['data']) ? list['data'] : []).map((model, index) => change(asJson(model), index)),
  }))
}

export function lists(change: (list: Json, call: Call) => unknown): Wrap {
  return { listModels: (real) => (models, call) => change(asJson(real(models, call)), call) }
}

/** Changes the fragments that a node sends for a stream. */
export function streamed(change: (text: string, index: number, call: Call) => readonly string[]): Wrap {
  return {
    generate: (real) =>
      async function* (node, job, signal, call) {
        const fragments = real(node, job, signal, call)
        let index = 0
        for (;;) {
          const step = await fragments.next()
          if (step.done) return step.value
          if (call.body?.stream !== true) yield step.value
          else for (const text of change(step.value.text, index, call)) yield { ...step.value, text }
          index += 1
        }
      },
  }
}

export const isStream = (call: Call): boolean => call.body?.stream === true

export const asksForStream = (body: Json): boolean => body['stream'] === true

/** Changes the JSON text of a reply, for what a JavaScript value can not say. */
export function replyText(change: (text: string) => string): Wrap {
  return {
    encode: (real) => (value, call) =>
      asJson(value)['object'] === 'chat.completion' ? change(real(value, call)) : real(value, call),
  }
}

/** Streams that may be long come slowly behind their beginning, so that there is a middle to leave them in. */
export const slowly: Wrap = {
  generate: (real) =>
    async function* (node, job, signal, call) {
      const reply = real(node, job, signal, call)
      for (let count = 0; ; count += 1) {
        const step = await reply.next()
        if (step.done) return step.value
        if (count > 25 && job.tokensMax >= 300 && isStream(call)) await setTimeout(4)
        yield step.value
      }
    },
}
