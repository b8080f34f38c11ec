import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { startNode } from '../node-server.ts'

const node = await startNode({ models: ['small'] })
const port = Number(new URL(node.url).port)

afterAll(() => node.close())

function connected(): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  return Promise.race([
    new Promise<string>((resolve) => {
      socket.on('connect', () => resolve('connected'))
      socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    }),
    delay(300, 'neither'),
  ]).finally(() => socket.destroy())
}

describe.runIf(process.platform === 'linux')('a black hole', () => {
  test('neither completes nor refuses a connection, and is gone when the node is up', async () => {
    expect(await connected()).toBe('connected')
    for (const round of [1, 2]) {
      await node.setState('blackhole')
      expect([round, ...(await Promise.all([connected(), connected()]))]).toEqual([round, 'neither', 'neither'])
      await node.setState('up')
      expect([round, await connected()]).toEqual([round, 'connected'])
    }
  })

  test('can follow and be followed by a refusal', async () => {
    await Promise.all([node.setState('refuse'), node.setState('blackhole'), node.setState('refuse')])
    expect(await connected()).toBe('ECONNREFUSED')
    await node.setState('blackhole')
    expect(await connected()).toBe('neither')
    await node.setState('503')
    expect((await fetch(`${node.url}/v1/models`)).status).toBe(503)
  })

  test('does not outlive its node', async () => {
    const other = await startNode({ models: ['small'] })
    await other.setState('blackhole')
    await other.close()
    await expect(fetch(other.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  })
})
