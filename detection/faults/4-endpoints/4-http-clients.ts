import { gzipSync } from 'node:zlib'
import type { Call, Caller, Wrap } from '../../../reference-server/gateway/seams.ts'
import { changingList } from '../../wraps/list.ts'
import { headerOf, refusal, refusingHeads } from '../../wraps/request.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4-http-clients.ts` must notice. */
export const httpClientsFaults = {
  'agent-is-needed': {
    about: 'Requests without a User-Agent are refused.',
    breaks: ['http.needs-no-other-headers'],
    wrap: () => refusingHeads(403, (call) => headerOf(call, 'user-agent') === ''),
  },
  'scripts-are-refused': {
    about: 'Requests from Python and curl are refused as robots.',
    breaks: ['http.serves-usual-clients'],
    wrap: () => refusingHeads(403, (call) => /python|curl/i.test(headerOf(call, 'user-agent'))),
  },
  'upgrade-loses-the-body': {
    about: 'The body of a request that offers HTTP/2 is not read.',
    breaks: ['http.serves-usual-clients'],
    wrap: () => ({
      readBody: (real) => async (call) => {
        const bytes = await real(call)
        return headerOf(call, 'upgrade') === '' ? bytes : Buffer.alloc(0)
      },
    }),
  },
  'upgrade-is-cut': {
    about: 'The connection of a request that offers HTTP/2 is cut.',
    breaks: ['http.serves-usual-clients'],
    wrap: () => ({
      serve: (real) => async (call) => {
        if (headerOf(call, 'upgrade') === '') await real(call)
        else call.request.socket.destroy()
      },
    }),
  },
  'seventeenth-header-is-lost': {
    about: 'A key that comes after sixteen other headers is not seen.',
    breaks: ['http.serves-usual-clients'],
    wrap: () => refusingHeads(401, (call) => placeOf(call, 'authorization') >= 16 && placeOf(call, 'x-hop-1') >= 0),
  },
  'list-wants-no-type': {
    about: 'The model list is refused to a request that names a media type but has no body.',
    breaks: ['models.any-headers'],
    wrap: () => refusingLists(400, (call) => headerOf(call, 'content-type') !== ''),
  },
  'list-accepts-one-type': {
    about: 'The model list is refused to a client that accepts several media types.',
    breaks: ['models.any-headers', 'http.serves-usual-clients'],
    wrap: () => refusingLists(406, (call) => headerOf(call, 'accept').includes(',')),
  },
  'list-is-packed-in-silence': {
    about: 'The model list is compressed for clients that accept gzip, but not labelled so.',
    breaks: ['models.any-headers'],
    wrap: () => ({
      sendBody: (real) => async (head, body, call) => {
        if (call.request.method !== 'GET' || !/gzip/.test(headerOf(call, 'accept-encoding')))
          return real(head, body, call)
        const bytes = gzipSync(body)
        call.response.writeHead(head.status, { ...head.headers, 'content-length': bytes.length }).end(bytes)
      },
    }),
  },
  'closing-connections-lose-the-end': {
    about: 'A stream requested with Connection: close has no end marker.',
    breaks: ['stream.whole-when-connection-closes'],
    wrap: () => ({
      doneFrame: (real) => (call) => (headerOf(call, 'connection').toLowerCase() === 'close' ? '' : real(call)),
    }),
  },
  'cookie-is-a-key': {
    about: 'Answers set a cookie that works in place of the key from then on.',
    breaks: ['auth.cookie-is-no-key'],
    wrap: () => {
      const known = new Map<string, Caller>()
      return {
        authenticate: (real) => (call) => {
          const [, session] = /\bsession=([^;]+)/.exec(headerOf(call, 'cookie')) ?? []
          const caller = known.get(session ?? '') ?? real(call)
          known.set(caller.key.id, caller)
          return caller
        },
        replyHead: (real) => (call) => {
          const { status, headers } = real(call)
          return { status, headers: { ...headers, 'set-cookie': `session=${call.caller?.key.id}; HttpOnly` } }
        },
      }
    },
  },
} as const satisfies Record<string, Fault>

/** Refuses the model list by the head of the request. */
function refusingLists(status: number, when: (call: Call) => boolean): Wrap {
  return changingList((list, call) => {
    if (when(call)) throw refusal(status)
    return list
  })
}

/** The place of a header among the others, from 0; -1 if it is not there. */
function placeOf({ request }: Call, name: string): number {
  const names = request.rawHeaders.filter((_, at) => at % 2 === 0)
  return names.findIndex((one) => one.toLowerCase() === name)
}
