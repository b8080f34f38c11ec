import { GatewayError } from '../../reference-server/gateway/gateway-error.ts'
import type { Call, Wrap } from '../../reference-server/gateway/seams.ts'
import { asJson, type Json } from './json.ts'

/** The size of a read buffer, at which faulty readers cut a body. */
export const bufferSize = 65_536

export const headerOf = ({ request }: Call, name: string): string => String(request.headers[name] ?? '')

export const numberIn = (body: Json, name: string): number => (typeof body[name] === 'number' ? body[name] : Number.NaN)

type ChangeMessage = (message: unknown, index: number, all: readonly unknown[]) => unknown

export const messagesOf = (body: object): readonly unknown[] => {
  const { messages } = body as { readonly messages?: unknown }
  return Array.isArray(messages) ? messages : []
}

export const asksForStream = (body: Json): boolean => body['stream'] === true

/** Refuses requests by their head, before the key is checked. */
export function refusingHeads(status: number, when: (call: Call) => boolean): Wrap {
  return {
    authenticate: (real) => (call) => {
      if (when(call)) throw refusal(status)
      return real(call)
    },
  }
}

/** Refuses bodies by their text, before it is parsed. */
export function refusingText(when: (text: string, call: Call) => boolean, status = 400): Wrap {
  return {
    parseBody: (real) => (bytes, call) => {
      if (when(bytes.toString(), call)) throw refusal(status)
      return real(bytes, call)
    },
  }
}

/** Reads another text than the one that was sent. */
export function readingText(change: (text: string) => string): Wrap {
  return { parseBody: (real) => (bytes, call) => real(Buffer.from(change(bytes.toString())), call) }
}

/** Reads other messages than those that were sent; one that becomes `undefined` is dropped. */
export function readingMessages(change: ChangeMessage): Wrap {
  return reading((body) => {
    const { messages } = body as { readonly messages?: unknown }
    if (!Array.isArray(messages)) return body
    return { ...body, messages: messages.map(change).filter((message) => message !== undefined) }
  })
}

export function refusal(status: number, message = 'This gateway does not take that.'): GatewayError {
  return new GatewayError(message, { status, type: 'invalid_request_error', code: 'refused' })
}

/** Refuses bodies that an honest gateway accepts. */
export function refusing(when: (body: Json, call: Call) => boolean, status = 400): Wrap {
  return {
    validate: (real) => (value, call) => {
      if (when(asJson(value), call)) throw refusal(status)
      return real(value, call)
    },
  }
}

/** Reads another body than the one that was sent, which lets a wrong one through. */
export function reading(change: (body: Json, call: Call) => unknown): Wrap {
  return {
    validate: (real) => (value, call) =>
      real(typeof value === 'object' && value !== null ? change(asJson(value), call) : value, call),
  }
}

/** Drops a field that is wrong, as a gateway that does not check it would. */
export function dropping(name: string, when: (value: unknown, body: Json, call: Call) => boolean): Wrap {
  return reading((body, call) => {
    if (!(name in body) || !when(body[name], body, call)) return body
    const { [name]: _, ...rest } = body
    return rest
  })
}

/** Answers bodies that the honest validation refuses with another status. */
export function changingRefusalStatus(status: number, when: (body: Json, call: Call) => boolean): Wrap {
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

/** Does something with every request before it is served. */
export function beforeServing(act: (call: Call) => Promise<void> | void): Wrap {
  return {
    serve: (real) => async (call) => {
      await act(call)
      await real(call)
    },
  }
}

/** Whether the client accepts a content coding. */
export function offers({ request }: Call, coding: string): boolean {
  return new RegExp(`\\b${coding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$))`).test(
    String(request.headers['accept-encoding'] ?? ''),
  )
}

/** Answers with another status where the model is not known. */
export function answeringUnknownWith(status: number, when: (call: Call) => boolean = () => true): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const model = real(id, call)
      if (model === undefined && when(call)) throw refusal(status)
      return model
    },
  }
}
