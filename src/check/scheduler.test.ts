import { setImmediate } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { Unsettled } from '../target/unsettled.ts'
import type { Exchange } from '../wire/transcript.ts'
import { clause, type JudgingFields, must, open } from './check.ts'
import { Mismatch, type NoReply } from './expect.ts'
import { fields, idOf, openFields, runOf } from './test-tools.ts'

const expecting = (expected: number): JudgingFields => ({
  ...fields,
  async run({ expect: hold }) {
    hold('one', 1).is(expected)
  },
})
const [passing, failing] = [expecting(1), expecting(2)]

/** What came of a request that received so many bytes. */
function answerOf(bytes: number, ending: Exchange['ending'] = 'complete') {
  const arrivals = [{ bytes: Buffer.alloc(bytes), atMs: 1 }]
  const exchange: Exchange = {
    id: bytes,
    request: { method: 'GET', url: 'http://x', headers: [] },
    sentAt: 0,
    arrivals,
    ending,
    endedAtMs: 2,
  }
  return { exchange }
}

describe('the scheduler', () => {
  test.each([
    ['one request at a time', 'oneAtATime', 'main', ['main 1', 'main 2', 'main 3', 'odd']],
    ['several, each of which takes long', 'leastFirst', 'first', ['main 1', 'main 2', 'main 3', 'odd']],
    ['several', undefined, 'main', ['main 1', 'main 2']],
  ] as const)('of a target that serves %s begins what no other waits for', async (_, order, phase, expected) => {
    const begun: string[] = []
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const waiting = (name: string): JudgingFields => ({
      ...passing,
      async run(context) {
        begun.push(name)
        await held
        await passing.run(context)
      },
    })
    const mains = ['main 1', 'main 2', 'main 3']
    const checks = mains.map((name, at) => must(idOf(name), { ...waiting(name), ...(at === 0 && { phase }) }))
    const run = runOf(clause('1', [...checks, must(idOf('odd'), { ...waiting('odd'), phase: 'odd' })]), order)
    const all = [...mains, 'odd'].map(run)
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
    expect(begun).toEqual(expected)
    release()
    expect((await Promise.all(all)).map(({ kind }) => kind)).toEqual(['pass', 'pass', 'pass', 'pass'])
  })

  test('leaves what is still under way when the time is up', async () => {
    const endless = { ...fields, run: () => new Promise<void>(() => {}) }
    const checks = ['a.waits', 'b.waits', 'c.waits'].map((name) => must(idOf(name), endless))
    const run = runOf(clause('1', checks), undefined, performance.now() - 60_000)
    const left = { kind: 'untestable', cause: 'budget', reason: '--max-time 1 is used up' }
    expect(await Promise.all(checks.map(({ id }) => run(id)))).toEqual([left, left, left])
  })

  test('gives each kind of ending its verdict', async () => {
    const verdict = runOf(
      clause('1', [
        must(idOf('a.passes'), passing),
        must(idOf('a.fails'), failing),
        must(idOf('a.looks-at-nothing'), { ...fields, run: async () => {} }),
        must(idOf('a.throws'), { ...fields, run: async () => Promise.reject(new TypeError('oops')) }),
        must(idOf('a.undecided'), {
          ...fields,
          run: async () => Promise.reject(new Unsettled('text', 'says nothing')),
        }),
        must(idOf('a.not-applicable'), {
          ...fields,
          run: async ({ notApplicable }) => Promise.reject(notApplicable('has none')),
        }),
        must(idOf('a.needs-a-model'), { ...fields, run: async ({ ask }) => void (await ask()) }),
        must(idOf('a.lacks'), { ...passing, needs: ['second-key'] }),
        open(idOf('a.observes'), { ...openFields, run: async () => ({ seen: 5 }) }),
      ]),
    )
    expect(await verdict('a.passes')).toEqual({ kind: 'pass', proofs: 1, proved: ['one'] })
    expect(await verdict('a.fails')).toMatchObject({ kind: 'fail', what: 'one', expected: '2', actual: '1' })
    expect(await verdict('a.looks-at-nothing')).toMatchObject({ kind: 'error' })
    expect(await verdict('a.throws')).toMatchObject({ kind: 'error' })
    expect(await verdict('a.undecided')).toEqual({ kind: 'untestable', cause: 'text', reason: 'says nothing' })
    expect(await verdict('a.not-applicable')).toEqual({ kind: 'not-applicable', reason: 'has none' })
    expect(await verdict('a.needs-a-model')).toEqual({ kind: 'blocked', by: 'models.names-a-model' })
    expect(await verdict('a.lacks')).toMatchObject({ kind: 'untestable', cause: 'capability' })
    expect(await verdict('a.observes')).toEqual({ kind: 'observed', value: { seen: 5 } })
  })

  test('says what a failure means: in the words of its check, or in general ones where no whole reply came', async () => {
    const failingBy = (noReply?: NoReply) => async () =>
      Promise.reject(new Mismatch({ what: 'status', expected: '200', actual: '500', noReply }))
    const verdict = runOf(
      clause('1', [
        must(idOf('a.wrong'), { ...fields, run: failingBy() }),
        must(idOf('a.refused'), { ...fields, run: failingBy('refused') }),
        must(idOf('a.broken-off'), { ...fields, run: failingBy('broken-off') }),
        must(idOf('a.unanswered'), { ...fields, run: failingBy('unanswered') }),
        must(idOf('a.covers-it'), { ...fields, coversNoReply: true, run: failingBy('unanswered') }),
      ]),
    )
    expect(await verdict('a.wrong')).toMatchObject({ wrong: 'It is wrong.' })
    expect(await verdict('a.refused')).toMatchObject({ wrong: 'A valid request was not served.' })
    expect(await verdict('a.broken-off')).toMatchObject({ wrong: 'An answer did not come to its end.' })
    expect(await verdict('a.unanswered')).toMatchObject({ wrong: 'A request got no answer.' })
    expect(await verdict('a.covers-it')).toMatchObject({ wrong: 'It is wrong.' })
  })

  test('says of a chain that could not be decided what was the matter with its root, once', async () => {
    const undecided = (cause: 'text' | 'budget') => async () => Promise.reject(new Unsettled(cause, 'it is over'))
    const verdict = runOf(
      clause('1', [
        must(idOf('a.root'), { ...fields, run: undecided('text') }),
        must(idOf('a.middle'), { ...passing, dependsOn: [idOf('a.root')] }),
        must(idOf('a.leaf'), { ...passing, dependsOn: [idOf('a.middle')] }),
        must(idOf('b.root'), { ...fields, run: undecided('budget') }),
        must(idOf('b.leaf'), { ...passing, dependsOn: [idOf('b.root')] }),
      ]),
    )
    expect(await verdict('a.leaf')).toMatchObject({ reason: 'a.root could not be decided: it is over' })
    expect(await verdict('b.leaf')).toMatchObject({ reason: 'it is over' })
  })

  test('never compares an answer that did not come with what was expected', async () => {
    const verdict = runOf(
      clause('1', [
        must(idOf('a.wanting'), {
          ...fields,
          run: async ({ expect: hold }) => hold<unknown>('status', undefined, answerOf(0, 'timeout')).is(200),
        }),
        must(idOf('a.cut'), {
          ...fields,
          run: async ({ expect: hold }) => hold<unknown>('status', undefined, answerOf(0, 'reset')).is(200),
        }),
      ]),
    )
    expect(await verdict('a.wanting')).toMatchObject({ kind: 'untestable', cause: 'target' })
    expect(await verdict('a.cut')).toMatchObject({ kind: 'fail' })
  })

  test('keeps as evidence of a pass what the record holds whole', async () => {
    const [small, large] = [answerOf(10), answerOf(100_000)]
    const { exchangesOf } = runOf(
      clause('1', [
        must(idOf('a.looks'), {
          ...fields,
          async run({ expect: hold }) {
            for (const answer of [large, small]) hold('one', 1, answer).is(1)
          },
        }),
      ]),
    )
    expect(await exchangesOf('a.looks')).toEqual([small.exchange])
  })

  test('blocks a chain by its root, and runs a shared dependency once', async () => {
    let times = 0
    const verdict = runOf(
      clause('1', [
        must(idOf('a.root'), {
          ...fields,
          async run({ expect: hold }) {
            times += 1
            hold('one', 1).is(2)
          },
        }),
        must(idOf('a.middle'), { ...passing, dependsOn: [idOf('a.root')] }),
        must(idOf('a.leaf'), { ...passing, dependsOn: [idOf('a.middle')] }),
      ]),
    )
    expect(await verdict('a.leaf')).toEqual({ kind: 'blocked', by: 'a.root' })
    expect(await verdict('a.middle')).toEqual({ kind: 'blocked', by: 'a.root' })
    expect(times).toBe(1)
  })

  test('refuses a dependency on a later phase, which would never end', () => {
    const audit = must(idOf('a.audit'), { ...passing, phase: 'audit' })
    expect(() =>
      runOf(clause('1', [audit, must(idOf('a.main'), { ...passing, dependsOn: [idOf('a.audit')] })])),
    ).toThrow(/a\.main depends on .*a\.audit.*later phase/)
  })
})
