import { expect, test } from 'vitest'
import { wrapsNamed } from '../../detection/catalogue.ts'
import type { Wrap } from '../../reference-server/gateway/seams.ts'
import { judge, startReferenceGateway } from '../../src/index.ts'

/** What a server leaves out everywhere, the check that says so, and those that judge what is in it. */
const leftOut = [
  ['usage-missing', 'usage.present', ['max-tokens.count-within-limit']],
  ['models-completion-price-missing', 'models.pricing', ['models.price-not-negative', 'models.price-plausible']],
  ['sse-no-done', 'stream.ends-with-done', ['stream.done-once', 'stream.nothing-after-done']],
] as const

test.each(leftOut)('%s fails %s, and no other check passes on what is not there', async (fault, root, others) => {
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: wrapsNamed([fault]) })
  const only = [root, ...others]
  const { results } = await judge({
    'base-url': new URL(gateway.baseUrl).origin,
    'api-key': gateway.demo?.apiKey ?? '',
    only,
  })
  await gateway.close()
  const kindOf = (id: string) => results.find((result) => result.id === id)?.verdict.kind
  expect(kindOf(root)).toBe('fail')
  for (const id of others) expect([id, kindOf(id)]).toEqual([id, expect.stringMatching(/^(blocked|not-applicable)$/)])
})

test('a limit of text is judged where replies count nothing', async () => {
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: wrapsNamed(['usage-missing']) })
  const only = ['max-tokens.limits-each-model', 'max-tokens.own-limit-per-request']
  const { results } = await judge({
    'base-url': new URL(gateway.baseUrl).origin,
    'api-key': gateway.demo?.apiKey ?? '',
    only,
  })
  await gateway.close()
  expect(results.map(({ id, verdict }) => [id, verdict.kind])).toEqual(only.map((id) => [id, 'pass']))
})

test('what usual clients send is judged where no list of models is served', async () => {
  const listless: Wrap = {
    serve: (real) => async (call) => {
      if (call.request.method === 'GET') call.response.writeHead(404).end()
      else await real(call)
    },
  }
  const refusingUpgrades: Wrap = {
    serve: (real) => async (call) => {
      if (call.request.headers.upgrade === undefined) return real(call)
      call.request.resume()
      call.response.writeHead(422).end()
    },
  }
  const gateway = await startReferenceGateway({ demo: true, simulated: true, wraps: [listless, refusingUpgrades] })
  const { results } = await judge({
    'base-url': new URL(gateway.baseUrl).origin,
    'api-path': '/api/v1',
    'api-key': gateway.demo?.apiKey ?? '',
    model: 'small',
    only: ['http.needs-no-other-headers', 'http.serves-usual-clients'],
  })
  await gateway.close()
  expect(results.map(({ verdict }) => verdict.kind)).toEqual(['pass', 'fail'])
})
