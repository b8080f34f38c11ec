import { expect, test } from 'vitest'
import { costOf } from './cost.ts'

const check = { id: 'chat.answers', cost: { requests: 2, tokens: 300 } } as const
const ofNodes = { ...check, needs: ['nodes'] } as const

test.each([
  ['a model of somebody else', {}, 300, 300],
  ['our nodes beside the model in use', { nodesAreOurs: true }, 300, 0],
  ['our nodes, which serve the model in use', { nodesAreOurs: true, modelIsOurs: true }, 0, 0],
])('tokens of %s', (_, terms, client, atNodes) => {
  expect(costOf(check, { runs: 1, ...terms })).toEqual({ requests: 2, tokens: client })
  expect(costOf(ofNodes, { runs: 1, ...terms })).toEqual({ requests: 2, tokens: atNodes })
})
