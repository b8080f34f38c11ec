import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { startNode } from '../node-server.ts'
import { onOwnPort } from './own-port.ts'

test.each(['up', 'blackhole'] as const)(
  'a node whose port somebody has for a moment is %s all the same',
  async (state) => {
    const node = await startNode({ models: ['small'] })
    const port = Number(new URL(node.url).port)
    await node.setState('refuse')
    const other = createServer().listen(port, '127.0.0.1')
    await once(other, 'listening')
    expect((other.address() as AddressInfo).port).toBe(port)
    setTimeout(() => other.close(), 60)
    await node.setState(state)
    expect(node.state()).toBe(state)
    if (state === 'up') expect((await fetch(`${node.url}/health`)).status).toBe(200)
    await node.close()
  },
)

test('another problem is told at once', async () => {
  let tries = 0
  const denied = async (): Promise<void> => {
    tries += 1
    throw new Error('listen EACCES')
  }
  await expect(onOwnPort(denied)).rejects.toThrow('EACCES')
  expect(tries).toBe(1)
})
