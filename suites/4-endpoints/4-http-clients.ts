import { clause, must, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { untilRight } from '../../src/repeat/repeat.ts'
import { rules } from '../../src/repeat/rules.ts'
import { type Answer, isRefusedForNow, isSuccess } from '../../src/target/answer.ts'
import { chatPath, chatText, modelsPath } from '../../src/target/chat.ts'
import { readRoster } from '../../src/target/roster.ts'
import { parseRawMessages, type RawMessage } from '../../src/wire/raw-message.ts'
import { type HeaderList, headerOf } from '../../src/wire/transcript.ts'

/** Headers that clients send besides those that the contract asks for. */
const clients: Readonly<Record<string, HeaderList>> = {
  'the OpenAI library for Python': [
    ['User-Agent', 'OpenAI/Python 1.68.2'],
    ['Accept', 'application/json'],
    ['Accept-Encoding', 'identity'],
    ['X-Stainless-Lang', 'python'],
    ['X-Stainless-Retry-Count', '0'],
  ],
  curl: [
    ['User-Agent', 'curl/8.5.0'],
    ['Accept', '*/*'],
  ],
  axios: [
    ['User-Agent', 'axios/1.7.9'],
    ['Accept', 'application/json, text/plain, */*'],
  ],
  "Java's HttpClient": [
    ['User-Agent', 'Java-http-client/21.0.5'],
    ['Connection', 'Upgrade, HTTP2-Settings'],
    ['Upgrade', 'h2c'],
    ['HTTP2-Settings', 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA'],
  ],
  'a browser behind proxies': [
    ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'],
    ...Array.from({ length: 20 }, (_, at): readonly [string, string] => [`X-Hop-${at + 1}`, `proxy-${at + 1}`]),
  ],
}

const isSwitch = (received: Buffer): boolean => received.subarray(0, 12).toString('latin1') === 'HTTP/1.1 101'

/**
 * One request with exactly these headers, on its own connection, repeated after a temporary refusal or a silence once a
 * plain request works. A server that accepts the offer of another protocol answers with 101.
 */
async function withHead(
  { converse, ask, target }: CheckContext,
  method: 'GET' | 'POST',
  path: string,
  own: HeaderList,
  body = '',
): Promise<Pick<RawMessage, 'status'> | undefined> {
  const { host, pathname } = new URL(target.urlOf(path))
  const key = target.config.keys.main
  const headers: HeaderList = [
    ['Host', host],
    ...target.config.headers,
    ...own,
    ...(key === undefined ? [] : [['Authorization', `Bearer ${key}`] as const]),
    ...(method === 'GET'
      ? []
      : [['Content-Type', 'application/json'] as const, ['Content-Length', String(Buffer.byteLength(body))] as const]),
  ]
  const head = [`${method} ${pathname} HTTP/1.1`, ...headers.map(([name, value]) => `${name}: ${value}`)]
  const hear = async (turn: number): Promise<Pick<RawMessage, 'status'> | undefined> => {
    if (turn > 0) await ask()
    const { arrivals } = await converse(
      [`${head.join('\r\n')}\r\n\r\n${body}`],
      (received) => isSwitch(received) || parseRawMessages(received).some(({ whole }) => whole),
    )
    const received = Buffer.concat(arrivals.map(({ bytes }) => bytes))
    return isSwitch(received) ? { status: 101 } : parseRawMessages(received)[0]
  }
  return untilRight(rules.scripted, hear, (message) => message?.status === 200 || message?.status === 101)
}

/** What a client asks for with these headers: a reply and, where there is a list of models, that list. */
async function asksWith(context: CheckContext, headers: HeaderList) {
  const hasList = isSuccess(await context.modelList())
  return [
    { what: 'a reply', ask: () => withHead(context, 'POST', chatPath, headers, chatText(context.model, {})) },
    ...(hasList ? [{ what: 'the list', ask: () => withHead(context, 'GET', modelsPath, headers) }] : []),
  ]
}

/** Whether an answer is a temporary refusal; no answer counts as one if the target sometimes breaks off requests. */
function isPassing({ target }: CheckContext, message: Pick<RawMessage, 'status'> | undefined): boolean {
  return message === undefined ? target.spending.cuts > 0 : isRefusedForNow(message)
}

/** What ordinary clients send, and what they need from the answer. */
export const httpClients = clause('4', [
  should('http.needs-no-other-headers', {
    states: ['client-libraries-work'],
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 60 },
    wrong: 'A request with only the headers it needs was not answered with 200.',
    why: 'Scripts that send only a key and a media type must not be locked out.',
    fix: 'Require no header besides Authorization and Content-Type.',
    async run(context) {
      const { expect, undecidable } = context
      let decided = 0
      for (const { what, ask } of await asksWith(context, [])) {
        const message = await ask()
        if (isPassing(context, message)) continue
        decided += 1
        expect(`status of ${what}, asked for with only the headers it needs`, message?.status).is(200)
      }
      if (decided === 0) throw undecidable('requests were temporarily refused')
    },
  }),
  should('http.serves-usual-clients', {
    states: ['client-libraries-work'],
    phase: 'odd',
    dependsOn: ['http.needs-no-other-headers'],
    cost: { requests: 10, tokens: 300, quick: 4 },
    wrong: 'A request with the headers of a usual client got neither a 200 nor a 101.',
    why: 'Users of a whole language are locked out by a bot filter or by one header taken too seriously.',
    fix: 'Ignore headers that you do not need.',
    async run(context) {
      const { expect, undecidable } = context
      let decided = 0
      for (const [client, headers] of context.few(Object.entries(clients))) {
        // Each is judged before the next is asked: what was heard last is what a failure shows.
        for (const { ask } of await asksWith(context, headers)) {
          const message = await ask()
          if (isPassing(context, message)) continue
          decided += 1
          expect(`status of a request with the headers of ${client}`, message?.status).isOneOf([101, 200])
        }
      }
      if (decided === 0) throw undecidable('requests were temporarily refused')
    },
  }),
  should('models.any-headers', {
    states: ['models-get-lists'],
    // Before any node is made to fail: a gateway may list none while its nodes rest.
    phase: 'early',
    dependsOn: ['models.names-a-model'],
    sameCauseAs: ['models.stable'],
    cost: { requests: 3, tokens: 0 },
    wrong: 'With headers that clients send, the model list was refused or not readable.',
    why: 'Clients that send one set of headers with every request fail where a GET may not have a Content-Type.',
    fix: 'Ignore the type of an absent body, and label every coding that you apply.',
    async run({ settled, expect }) {
      for (const header of [
        ['Content-Type', 'application/json'],
        ['Accept', 'application/json, text/plain, */*'],
      ] as const) {
        const list = await settled({ method: 'GET', path: modelsPath, headers: [header] })
        expect(`status of the list with ${header.join(': ')}`, list.status, list).is(200)
      }
      const coded = await settled({ method: 'GET', path: modelsPath, headers: [['Accept-Encoding', 'gzip']] })
      const coding = headerOf(coded.exchange, 'content-encoding') ?? 'identity'
      if (coding.toLowerCase() === 'identity')
        expect('ids in a list without a content coding', readRoster(coded.json).length, coded).isAtLeast(1)
      else expect('content coding of the list when gzip was offered', coding, coded).is('gzip')
    },
  }),
  must('stream.whole-when-connection-closes', {
    states: ['stream-ends-with-done'],
    dependsOn: ['stream.answers', 'stream.ends-with-done'],
    phase: 'last',
    cost: { requests: 2, tokens: 80, quick: 1 },
    wrong: 'A stream asked for with Connection: close came without [DONE].',
    why: 'Clients that close after each request get a stream without its end.',
    fix: 'Write the end marker before closing the connection.',
    async run({ probeStream, expect, undecidable }) {
      const options = { headers: [['Connection', 'close']] as const }
      const stream = await untilRight(
        rules.contact,
        () => probeStream({ max_tokens: 12 }, options),
        ({ done }) => done,
      )
      if (!isSuccess(stream))
        throw undecidable(`a stream with Connection: close was answered with ${stream.status ?? 'nothing'}`)
      expect('whether a stream with Connection: close has its end marker', stream.done, stream).is(true)
    },
  }),
  must('auth.cookie-is-no-key', {
    states: ['every-request-has-a-key'],
    phase: 'early',
    dependsOn: ['chat.answers', 'auth.wrong-key-refused'],
    cost: { requests: 4, tokens: 120, quick: 1 },
    wrong: 'A wrong key was served together with a cookie of the gateway.',
    why: "A session cookie outlives its key, and lets other sites spend its owner's money.",
    fix: 'Identify API callers only by the key of each request.',
    async run({ ask, probe, secret, nonce, expect, notApplicable }) {
      const cookies = cookiesOf(await ask())
      if (cookies === '') throw notApplicable('the gateway sets no cookie')
      const key = `sk-assay-${nonce()}`
      const refused = await probe({}, { key, headers: [['Cookie', secret(cookies)]] })
      expect('status with a wrong key and the cookie of a right one', refused.status, refused).satisfies(
        'no 2xx',
        !isSuccess(refused),
      )
    },
  }),
])

/** The cookies that a browser would send back. */
function cookiesOf({ exchange }: Answer): string {
  const set = (exchange.head?.headers ?? []).filter(([name]) => name.toLowerCase() === 'set-cookie')
  return set.map(([, value]) => value.split(';')[0] ?? '').join('; ')
}
