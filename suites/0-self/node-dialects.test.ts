import { expect, test } from 'vitest'
import { dialectNames } from '../../reference-server/node-server/dialect/dialects.ts'
import type { NodeOptions } from '../../reference-server/node-server/node-server.ts'
import { judge, startNode } from '../../src/index.ts'
import { nodeDialects } from '../../src/options/node-dialects.ts'

/** What is looked at in replies and chunks: a gateway that relays them untouched shows the node's. */
const only = ['completion.*', 'chunk.*', 'stream.*', 'usage.*', 'models.*', 'unknown-model.*', 'max-tokens.*']

async function failuresOf(dialect: Pick<NodeOptions, 'dialect'>): Promise<readonly string[]> {
  const node = await startNode({ models: ['small'], ...dialect })
  try {
    const { results } = await judge({ 'base-url': node.url, 'api-path': '/v1', only, seed: 1, runs: 3 })
    expect(results.filter(({ verdict }) => verdict.kind === 'pass').length).toBeGreaterThan(20)
    return results.filter(({ verdict }) => verdict.kind === 'fail').map(({ id }) => id)
  } finally {
    await node.close()
  }
}

const plain = await failuresOf({})

test.each(dialectNames)('no shape of %s fails a check', { timeout: 120_000 }, async (dialect) => {
  expect((await failuresOf({ dialect })).filter((id) => !plain.includes(id))).toEqual([])
})

test('every dialect of the node is an option', () => {
  expect([...nodeDialects].sort()).toEqual([...dialectNames].sort())
})
