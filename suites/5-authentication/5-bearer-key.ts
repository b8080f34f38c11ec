import { createHash } from 'node:crypto'
import { nearMisses } from '../../src/asking/keys/near-misses.ts'
import { clause, must, open, should } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { sideBySide } from '../../src/repeat/side-by-side.ts'
import type { Answer } from '../../src/target/answer.ts'
import { chatRequest } from '../../src/target/chat.ts'
import { tellingKeyLength } from '../../src/target/config.ts'
import { failsInItsStream, isServed, unserved } from '../../src/target/served.ts'
import type { HeaderList } from '../../src/wire/transcript.ts'

const strangers = {
  why: 'Somebody else pays for callers who get in without a key.',
  fix: 'Look up the whole key before anything else, and refuse an unknown one with 401.',
}

/** The key of the run, without which these checks mean nothing. */
function givenKey({ target, notApplicable }: CheckContext): string {
  const key = target.config.keys.main
  if (key === undefined) throw notApplicable('the run has no key')
  return key
}

/** What stands where the key should, in words and as headers. */
type Attempt = readonly [what: string, headers: HeaderList]

/** Each attempt in both modes. */
async function refuses({ few, probe, probeStream, expect }: CheckContext, attempts: readonly Attempt[]): Promise<void> {
  const inBothModes = attempts.flatMap((attempt) => [
    { attempt, mode: '', send: probe },
    { attempt, mode: ', streaming', send: probeStream },
  ])
  await sideBySide(few(inBothModes), async ({ attempt: [what, headers], mode, send }) => {
    const answer = await send({}, { key: null, headers })
    expect(`status with ${what}${mode}`, answer.status, answer).satisfies(unserved, !isServed(answer))
  })
}

const bearing = (key: string): HeaderList => [['Authorization', `Bearer ${key}`]]

export const bearerKey = clause('5', [
  must('auth.missing-key-refused', {
    states: ['every-request-has-a-key'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 2, tokens: 60, quick: 2 },
    wrong: 'A request without a key was served.',
    ...strangers,
    async run(context) {
      givenKey(context)
      await refuses(context, [['no Authorization header', []]])
    },
  }),
  must('auth.wrong-key-refused', {
    states: ['every-request-has-a-key'],
    phase: 'early',
    dependsOn: ['auth.missing-key-refused', 'chat.answers'],
    cost: { requests: 16, tokens: 60, quick: 2 },
    wrong: 'A request with a wrong key was served.',
    ...strangers,
    async run(context) {
      const prefix = /^sk-[a-z0-9]+-/.exec(givenKey(context))?.[0] ?? 'sk-assay-'
      const wrongKeys = [
        ['of one letter', 'x'],
        ['"null"', 'null'],
        ['"undefined"', 'undefined'],
        ['that nobody was given', `${prefix}${context.nonce()}${context.nonce()}`],
        ['of a prefix alone', prefix],
        ['of 200 letters', 'a'.repeat(200)],
      ] as const
      const wrong = `${prefix}${context.nonce()}`
      const home = ['X-Forwarded-For', 'X-Real-IP'].map((name) => [name, '127.0.0.1'] as const)
      await refuses(context, [
        ...wrongKeys.map(([words, key]): Attempt => [`a key ${words}`, bearing(key)]),
        ['a wrong key and a forwarded address of the host', [...bearing(wrong), ...home]],
        ['a wrong key where events are accepted', [...bearing(wrong), ['Accept', 'text/event-stream']]],
      ])
    },
  }),
  must('auth.near-miss-refused', {
    states: ['every-request-has-a-key'],
    phase: 'early',
    dependsOn: ['auth.missing-key-refused', 'chat.answers'],
    cost: { requests: 22, tokens: 60, quick: 2 },
    wrong: 'A key that differs slightly from the right one was served.',
    why: 'Attackers can guess a key that is compared by prefix, by length or ignoring case.',
    fix: 'Compare the whole key byte by byte, preferably by its hash.',
    async run(context) {
      const misses = nearMisses(givenKey(context), 'ASSAY_API_KEY')
      await refuses(
        context,
        misses.map(({ words, value, shape }) => [`the key ${words}`, bearing(context.secret(value, shape))]),
      )
    },
  }),
  must('auth.other-schemes-refused', {
    states: ['key-is-bearer'],
    phase: 'early',
    dependsOn: ['auth.missing-key-refused', 'chat.answers'],
    cost: { requests: 10, tokens: 60, quick: 2 },
    wrong: 'A key was accepted in a header that is not of the form Bearer KEY.',
    why: "Users' credentials for other services are accepted when a gateway ignores the scheme before them.",
    fix: 'Accept only the scheme Bearer.',
    async run(context) {
      const key = givenKey(context)
      const basic = context.secret(
        Buffer.from(`${key}:`).toString('base64'),
        `$(printf %s "$ASSAY_API_KEY:" | base64 | tr -d '\\n')`,
      )
      const others = [
        ['the key as the user name of Basic', `Basic ${basic}`],
        ['the key after "Token "', `Token ${key}`],
        ['the key after "Digest "', `Digest ${key}`],
        ['the key after "Bearer: "', `Bearer: ${key}`],
        ['the key after "Bearer" without a space', `Bearer${key}`],
      ] as const
      await refuses(
        context,
        others.map(([what, value]) => [what, [['Authorization', value]]]),
      )
    },
  }),
  must('auth.empty-key-refused', {
    states: ['every-request-has-a-key'],
    phase: 'early',
    dependsOn: ['auth.missing-key-refused', 'chat.answers'],
    cost: { requests: 8, tokens: 60, quick: 2 },
    wrong: 'A request with an empty key was served.',
    ...strangers,
    async run(context) {
      givenKey(context)
      const values = ['Bearer', 'Bearer ', 'Bearer   ', '']
      await refuses(
        context,
        values.map((value) => [`Authorization: "${value}"`, [['Authorization', value]]]),
      )
    },
  }),
  should('auth.refusal-is-client-error', {
    states: ['client-errors-are-4xx'],
    phase: 'early',
    dependsOn: ['auth.missing-key-refused', 'auth.wrong-key-refused', 'auth.empty-key-refused'],
    cost: { requests: 13, tokens: 0, quick: 4 },
    wrong: 'A missing or wrong key was not refused with a 4xx.',
    why: 'A 5xx sends users looking for an outage, and SDKs retry it.',
    fix: 'Answer 401 when the key is missing, malformed or unknown.',
    async run(context) {
      givenKey(context)
      const values = [
        'Bearer',
        'Bearer x',
        `Bearer ${context.secret('k'.repeat(10_000), "$(printf 'k%.0s' $(seq 10000))")}`,
        'Bearer ключ',
        'Bearer sk-assay-\u00e9',
        'Basic !!!',
        'Bearer a b c',
        'Token x',
        `Bearer sk-assay-${context.nonce()}`,
        '',
      ]
      await sideBySide(context.few(values), async (value) => {
        const bytes = Buffer.from(value, 'utf8').toString('latin1')
        const answer = await context.probe({}, { key: null, headers: [['Authorization', bytes]] })
        context.expect(`status with Authorization: ${value.slice(0, 30)}`, answer.status, answer).isStatus('4xx')
      })
      for (const [mode, send] of [
        ['', context.probe],
        [', streaming', context.probeStream],
      ] as const) {
        const bare = await send({}, { key: null })
        if (!failsInItsStream(bare)) context.expect(`status without a key${mode}`, bare.status, bare).isStatus('4xx')
      }
    },
  }),
  should('auth.scheme-case-free', {
    states: ['key-is-bearer'],
    phase: 'early',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 180, quick: 2 },
    wrong: 'The right key was not accepted with another spelling of Bearer.',
    coversNoReply: true,
    why: 'Users behind proxies that normalize headers are refused unless case and further spaces mean nothing (RFC 9110, 11.1 and 11.4).',
    fix: 'Ignore the case of the scheme, and allow more than one space after it.',
    async run(context) {
      const key = givenKey(context)
      for (const scheme of context.few(['bearer', 'BEARER', 'Bearer '])) {
        const reply = await context.ask({}, { headers: [['Authorization', `${scheme} ${key}`]] })
        context.expect(`status with the scheme "${scheme}"`, reply.status, reply).isStatus('2xx')
      }
    },
  }),
  should('auth.refusal-keeps-key-secret', {
    states: ['key-shown-once'],
    dependsOn: ['auth.near-miss-refused'],
    cost: { requests: 4, tokens: 0 },
    wrong: 'The answer to a wrong key shows that key or a hash of it.',
    why: "A user's key ends up in logs and tickets when an error text repeats it.",
    fix: 'Refer to a key by its public id or its first characters, if at all, and never by a hash of it.',
    async run(context) {
      const key = givenKey(context)
      const last = key.endsWith('q') ? 'w' : 'q'
      const miss = context.secret(`${key.slice(0, -1)}${last}`, `\${ASSAY_API_KEY%?}${last}`)
      const invented = `sk-assay-${context.nonce()}${context.nonce()}${context.nonce()}`
      for (const secret of [miss, invented]) {
        const answers: Answer[] = [
          await context.probe({}, { key: secret }),
          await context.probeStream({}, { key: secret }),
        ]
        for (const answer of answers) {
          const told = answer.text + JSON.stringify(answer.exchange.head?.headers ?? [])
          const hashes = ['sha256', 'sha1', 'md5'].map((algorithm) =>
            createHash(algorithm).update(secret).digest('hex'),
          )
          const found = [secret, ...hashes].some((form) => told.toLowerCase().includes(form.toLowerCase()))
          context.expect('whether the refused key, or a hash of it, is in the answer', found, answer).is(false)
        }
      }
    },
  }),
  must('auth.errors-keep-key-secret', {
    states: ['key-shown-once'],
    dependsOn: ['chat.answers'],
    phase: 'audit',
    cost: { requests: 0, tokens: 0 },
    wrong: "An answer shows the caller's key, or no bad request was refused.",
    why: "A user's key leaks into logs when an answer repeats it.",
    fix: 'Keep request headers out of errors and replies.',
    async run(context) {
      const key = givenKey(context)
      if (key.length < tellingKeyLength)
        throw context.undecidable(`the key has ${key.length} characters, which may stand in any text: use a longer one`)
      const refusals = await context.samples.refusals()
      context.expect('answers that are not a success', refusals.length).isAtLeast(1)
      const replies = (await context.samples.replies()).map(({ answer }) => answer)
      for (const answer of [...refusals, ...replies]) {
        const told = answer.text + JSON.stringify(answer.exchange.head?.headers ?? [])
        context.expect('whether the key is in the answer', told.includes(key), answer).is(false)
      }
    },
  }),
  open('auth.refusal-shape', {
    states: ['refusal-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 60 },
    why: 'Clients want to know the status and shape of a refusal.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send, model, target, secret }) {
      const { main } = target.config.keys
      const bare = await send(chatRequest(model, {}, { key: null }))
      const wrong = await send(chatRequest(model, {}, { key: 'sk-assay-not-a-key' }))
      const badBody = await send({ method: 'POST', path: '/chat/completions', key: null, body: '{' })
      const numbered =
        main === undefined
          ? undefined
          : await send(chatRequest(model, {}, { key: secret(`${main}-1`, `\${ASSAY_API_KEY}-1`) }))
      return {
        missing: bare.status,
        wrong: wrong.status,
        missingWithBadBody: badBody.status,
        'the key with -1 behind it': numbered?.status,
        body: wrong.text.slice(0, 300),
      }
    },
  }),
  open('auth.other-places', {
    states: ['refusal-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 180 },
    why: 'Clients want to know whether a gateway also takes the key from other headers.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send, model, target }) {
      const key = target.config.keys.main ?? ''
      const own = await send(chatRequest(model, {}, { key: null, headers: [['x-api-key', key]] }))
      const bare = await send(chatRequest(model, {}, { key: null, headers: [['Authorization', key]] }))
      // As it stands, this is no user name and password: who sends it has the whole key all the same.
      const basic = await send(chatRequest(model, {}, { key: null, headers: [['Authorization', `Basic ${key}`]] }))
      return {
        'x-api-key': own.status,
        'Authorization without a scheme': bare.status,
        'Basic before the key as it is': basic.status,
      }
    },
  }),
])
