import { once } from 'node:events'
import type { Call, Seams, Wrap } from '../../../reference-server/gateway/seams.ts'
import { asJson } from '../../wraps/json.ts'
import { closingForAWhile, noticingOutage } from '../../wraps/outage.ts'
import { answeringUnknownWith, changingRefusalStatus, refusal, refusing } from '../../wraps/request.ts'
import { isStream, isWhole } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

type When = (call: Call) => boolean

const always: When = () => true

const bothModes = ['unavailable.answers-503', 'unavailable.answers-503-streaming'] as const

const modelNames = ['small', 'medium', 'large']

/** Gateways that the checks of `suites/7-errors/7-unavailable-model.ts` must notice. */
export const unavailableModelFaults = {
  'tag-of-a-model-is-ignored': {
    about: 'Anything after a colon in a model id is ignored.',
    breaks: ['unknown-model.refused'],
    wrap: () => ({ findModel: (real) => (id, call) => real(id.split(':')[0] ?? id, call) }),
  },
  'folder-of-a-model-is-ignored': {
    about: 'Only the part of a model id after the last slash is compared.',
    breaks: ['unknown-model.refused'],
    wrap: () => ({ findModel: (real) => (id, call) => real(id.split('/').at(-1) ?? id, call) }),
  },
  'short-replies-need-no-node': {
    about: 'A model without a node still answers requests for one token.',
    breaks: ['unavailable.whatever-is-asked'],
    wrap: () => ({
      findModel: (real) => (id, call) => real(isBrief(call) && real(id, call) === undefined ? 'small' : id, call),
      chooseNode: (real) => (model, call) =>
        real(model, call) ?? (isBrief(call) ? real({ ...model, id: 'small' }, call) : undefined),
    }),
  },
  'unavailable-is-500': {
    about: 'A model without a node is answered with 500.',
    breaks: bothModes,
    wrap: () => answeringOutagesWith(500),
  },
  'unavailable-is-404': {
    about: 'A model without a node is answered with 404, as if it did not exist.',
    breaks: bothModes,
    wrap: () => answeringOutagesWith(404),
  },
  'unavailable-is-429': {
    about: 'A model without a node is answered with 429, as a rate limit.',
    breaks: bothModes,
    wrap: () => answeringOutagesWith(429),
  },
  'unavailable-is-502-in-streams': {
    about: 'A stream of a model without a node is answered with 502.',
    breaks: ['unavailable.answers-503-streaming'],
    wrap: () => answeringOutagesWith(502, isStream),
  },
  'unavailable-is-404-in-json': {
    about: 'A model without a node is answered with 404, but with 503 in streams.',
    breaks: ['unavailable.answers-503'],
    wrap: () => answeringOutagesWith(404, isWhole),
  },
  'unavailable-is-503-once': {
    about: 'The first request for a model without a node gets 503, all later ones 404.',
    breaks: bothModes,
    wrap: () => {
      let asked = 0
      return answeringOutagesWith(404, () => {
        asked += 1
        return asked > 1
      })
    },
  },
  'unavailable-under-200': {
    about: 'The error for a model without a node has status 200.',
    breaks: ['unavailable.answers-503'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        return answer.status === 503 && isWhole(call) ? { ...answer, status: 200 } : answer
      },
    }),
  },
  'unavailable-as-event': {
    about: 'A stream of a model without a node has status 200 and carries the error as an event.',
    breaks: ['unavailable.answers-503-streaming'],
    wrap: () =>
      sendingOutagesAs(isStream, (body, { response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\ndata: [DONE]\n\n`)
      }),
  },
  'unavailable-as-empty-stream': {
    about: 'A stream of a model without a node has status 200 and ends without a byte.',
    breaks: ['unavailable.answers-503-streaming'],
    wrap: () =>
      sendingOutagesAs(isStream, (_, { response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
      }),
  },
  'unavailable-hangs': {
    about: 'A request for a model without a node waits forever.',
    breaks: ['unavailable.answers-503'],
    wrap: () => sendingOutagesAs(isWhole, (_, { left }) => once(left, 'abort')),
  },
  'unavailable-cuts-the-connection': {
    about: 'A stream of a model without a node is cut before its head.',
    breaks: ['unavailable.answers-503-streaming'],
    wrap: () =>
      sendingOutagesAs(isStream, (_, { response }) => {
        response.destroy()
      }),
  },
  'unavailable-falls-back': {
    about: 'A model without a node is answered by another model under its name.',
    breaks: bothModes,
    wrap: () => fallingBack(always),
  },
  'unavailable-falls-back-in-streams': {
    about: 'A stream of a model without a node is answered by another model.',
    breaks: ['unavailable.answers-503-streaming', 'billing.unavailable-is-free'],
    wrap: () => fallingBack(isStream),
  },
  'unavailable-body-missing': {
    about: 'The 503 of a stream announces a body that never comes.',
    breaks: ['unavailable.body-readable'],
    wrap: () =>
      sendingOutagesAs(isStream, (body, { response }) => {
        response.writeHead(503, { 'content-type': 'application/json', 'content-length': body.length })
        response.flushHeaders()
        setTimeout(() => response.destroy(), 5)
      }),
  },
  'unavailable-as-page': {
    about: 'A proxy replaces the 503 with an HTML page.',
    breaks: ['unavailable.body-readable', 'http.errors-are-json'],
    wrap: () =>
      sendingOutagesAs(always, (_, { response }) => {
        response.writeHead(503, { 'content-type': 'text/html' }).end('<html><h1>503 Service Unavailable</h1></html>')
      }),
  },
  'unavailable-bad-request-is-500': {
    about: 'A bad request for a model without a node crashes the handler.',
    breaks: ['unavailable.bad-request-still-refused'],
    wrap: () => changingRefusalStatus(500, (body) => body['model'] === 'dormant'),
  },
  'unknown-model-served': {
    about: 'An unknown model is answered by the default one.',
    breaks: ['unknown-model.refused'],
    wrap: () => servingUnknownModels(() => 'small'),
  },
  'unknown-model-served-in-streams': {
    about: 'A stream of an unknown model is answered by the default one.',
    breaks: ['unknown-model.refused'],
    wrap: () => servingUnknownModels((_, call) => (isStream(call) ? 'small' : undefined)),
  },
  'model-compared-by-beginning': {
    about: 'A model id that only begins like a known one is served by that model.',
    breaks: ['unknown-model.refused'],
    wrap: () => servingUnknownModels((id) => modelNames.find((name) => id.startsWith(name))),
  },
  'unknown-model-under-200': {
    about: 'The error for an unknown model has status 200.',
    breaks: ['unknown-model.refused'],
    wrap: () => ({
      errorAnswer: (real) => (error, call) => {
        const answer = real(error, call)
        return asJson(asJson(answer.body)['error'])['code'] === 'model_not_found' ? { ...answer, status: 200 } : answer
      },
    }),
  },
  'unknown-model-is-500': {
    about: 'An unknown model crashes the handler.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => answeringUnknownWith(500),
  },
  'unknown-model-by-its-beginning-else-500': {
    about: 'A model that begins like a known one is served by that, and any other crashes the handler.',
    breaks: ['unknown-model.refused', 'unknown-model.no-server-error'],
    wrap: () => ({
      findModel: (real) => (id, call) => {
        const model = real(id, call) ?? real(/^\w+/.exec(id)?.[0] ?? '', call)
        if (model === undefined) throw refusal(500)
        return model
      },
    }),
  },
  'unknown-model-is-502-in-streams': {
    about: 'A stream of an unknown model is answered with 502.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => answeringUnknownWith(502, isStream),
  },
  'unknown-model-fails-in-its-stream': {
    about: 'A stream of an unknown model is a 200, and its only event says that there is no such model.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => ({
      sendBody: (real) => (head, body, call) =>
        isStream(call) && body.includes('model_not_found')
          ? real(
              { status: 200, headers: { 'content-type': 'text/event-stream' } },
              `data: ${body}\n\ndata: [DONE]\n\n`,
              call,
            )
          : real(head, body, call),
    }),
  },
  'outage-remembered-for-all': {
    about: 'After a model without nodes was requested, some prompts get its 503 from every model.',
    breaks: ['unavailable.others-served'],
    wrap: () => {
      let seen = false
      return {
        chooseNode: (real) => (model, call) => {
          seen ||= model.id === 'dormant'
          return seen && call.body?.messages.at(-1)?.content.includes('others') === true ? undefined : real(model, call)
        },
      }
    },
  },
  'unknown-model-with-a-slash-is-500': {
    about: 'An unknown model id with a slash in it is split, which crashes the handler.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => refusing(({ model }) => typeof model === 'string' && model.includes('/'), 500),
  },
  'unknown-model-of-great-length-is-500': {
    about: 'A model id longer than its database column is answered with a server error.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => refusing(({ model }) => typeof model === 'string' && model.length > 255, 500),
  },
  'one-model-closes-all': {
    about: 'A request for a model without a node makes all models unavailable for a moment.',
    breaks: ['unavailable.others-served'],
    follows: [
      'key.limit-is-not-early',
      'key.limit-is-its-own',
      'key.limit-is-not-its-name',
      'billing.unavailable-is-free',
      'model.costs-as-before',
    ],
    wrap: () => {
      const { close, chooseNode } = closingForAWhile()
      const outages = noticingOutage(() => close(500))
      return { chooseNode: (real) => outages(chooseNode(real)) }
    },
  },
  'model-empty-is-500': {
    about: 'An empty model id crashes the handler.',
    breaks: ['unknown-model.no-server-error'],
    wrap: () => refusing((body) => body['model'] === '', 500),
  },
} as const satisfies Record<string, Fault>

/** Answers with another status where no node serves the model. */
function answeringOutagesWith(status: number, when: When = always): Wrap {
  return {
    chooseNode: (real) => (model, call) => {
      const node = real(model, call)
      if (node === undefined && when(call)) throw refusal(status)
      return node
    },
  }
}

/** Writes the answers with 503 as `send` does. */
function sendingOutagesAs(when: When, send: (body: string, call: Call) => unknown): Wrap {
  return {
    sendBody:
      (real): Seams['sendBody'] =>
      async (head, body, call) => {
        if (head.status === 503 && when(call)) await send(body, call)
        else await real(head, body, call)
      },
  }
}

/** Lets another model answer where no node serves the one that was asked for. */
function fallingBack(when: When): Wrap {
  return {
    chooseNode: (real) => (model, call) =>
      real(model, call) ?? (when(call) ? real({ ...model, id: 'small' }, call) : undefined),
  }
}

/** Serves another model for one that is not known. */
function servingUnknownModels(other: (id: string, call: Call) => string | undefined): Wrap {
  return {
    findModel: (real) => (id, call) => {
      const model = real(id, call)
      const name = model === undefined ? other(id, call) : undefined
      return name === undefined ? model : real(name, call)
    },
  }
}

/** Asks for a single token. */
function isBrief({ body }: Call): boolean {
  return body?.tokensMax === 1
}
