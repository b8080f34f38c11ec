import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decode } from '../../../bench/clients/decode.ts'
import type { Got, Order } from '../../../bench/clients/protocol.ts'
import { readClients } from '../../../bench/clients/results.ts'
import { readClientRulings } from '../../../bench/clients/rulings.ts'
import { situations } from '../../../bench/clients/situations.ts'
import { packageFolder } from '../../../src/fixtures.ts'

const clients = readClients()

describe('the clients that were examined', () => {
  test('are many, and each met every situation', () => {
    expect(clients.length).toBeGreaterThanOrEqual(10)
    for (const { name, cells } of clients) expect(Object.keys(cells), name).toEqual(situations.map(({ id }) => id))
  })

  test('have a ruling for each red cell, and no ruling without one', () => {
    const { limits, streams } = readClientRulings()
    const red = clients.flatMap(({ name, cells }) =>
      Object.entries(cells).flatMap(([id, { verdict }]) => (verdict === 'red' ? [`${name}: ${id}`] : [])),
    )
    expect(limits.map(({ client, situation }) => `${client}: ${situation}`).sort()).toEqual(red.sort())
    const redStreams = clients.flatMap(({ streams }) =>
      streams.flatMap(({ server, ending, verdict }) => (verdict === 'red' ? [`${server}: ${ending}`] : [])),
    )
    expect(streams.map(({ server, ending }) => `${server}: ${ending}`).sort()).toEqual([...new Set(redStreams)].sort())
  })

  test('asked the gateway for whatever they were judged on', () => {
    const silent = clients.flatMap(({ name, cells }) =>
      Object.entries(cells).flatMap(([id, { verdict, asked }]) =>
        verdict !== 'cannot' && asked === 0 ? [`${name}: ${id}`] : [],
      ),
    )
    expect(silent).toEqual([])
  })
})

test('all clients read the same streams, of several servers', () => {
  const read = clients.map(({ streams }) => streams.map(({ server, ending }) => `${server}: ${ending}`))
  expect(new Set(clients[0]?.streams.map(({ server }) => server)).size).toBeGreaterThanOrEqual(5)
  for (const streams of read) expect(streams).toEqual(read[0])
})

test('where a stream is not read, the event and the field that decide it are found', async () => {
  const demanding = async ({ baseUrl }: Order): Promise<Got> => {
    const stream = await (await fetch(`${baseUrl}/chat/completions`, { method: 'POST' })).text().catch(() => '')
    const chunks = [...stream.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    if (chunks.some(({ created }) => created === undefined)) return { error: 'no created' }
    const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('')
    return /\[DONE\]|"finish_reason": ?"/.test(stream) ? { text } : { error: 'not whole' }
  }
  const undated = (await decode({ carryOut: demanding })).filter(({ why }) => why === 'no created')
  expect(undated.length).toBeGreaterThan(0)
  for (const stream of undated) expect(stream).toMatchObject({ event: 1, field: 'no created' })
})

test('a client is one file of at most 60 lines', () => {
  const folder = join(packageFolder, 'bench', 'clients')
  const files = ['javascript', 'python', 'go', 'rust'].flatMap((language) =>
    readdirSync(join(folder, language)).map((file) => join(folder, language, file)),
  )
  expect(files.length).toBeGreaterThan(10)
  for (const file of files)
    expect(readFileSync(file, 'utf8').trimEnd().split('\n').length, file).toBeLessThanOrEqual(60)
})
