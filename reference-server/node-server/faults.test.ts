import { afterAll, describe, expect, test } from 'vitest'
import { startNode } from './node-server.ts'
import type { FaultKind, Script } from './script/script.ts'
import { brings, chatRequest, type Heard, heard, lastRecord, opened } from './test-tools.ts'

const node = await startNode({ models: ['small'] })

afterAll(() => node.close())

const fragments = ['one ', 'two ', 'three ', 'four']

function meet(fault: Script['fault'], stream: boolean): Promise<Heard> {
  node.script('fault', { fragments, ...(fault !== undefined && { fault }) })
  return heard(node, chatRequest('assay-script-fault', { stream }))
}

/** The texts that came in whole events. */
function said({ body }: Heard): string[] {
  return [...body.matchAll(/^data: (\{.*\})\n\n/gm)].flatMap(([, data = '']) => {
    const { choices } = JSON.parse(data)
    return choices?.[0].delta.content ?? []
  })
}

const isEnded = ({ body }: Heard): boolean => body.endsWith('0\r\n\r\n')
const isDone = ({ body }: Heard): boolean => body.includes('data: [DONE]\n\n')

describe('in a stream', () => {
  test.each([
    { kind: 'reset-mid-stream', words: 2, ended: 'reset', whole: false, done: false, outcome: 'cut-by-node' },
    { kind: 'truncated-json', words: 2, ended: 'end', whole: false, done: false, outcome: 'cut-by-node' },
    { kind: 'end-mid-stream', words: 2, ended: 'end', whole: true, done: false, outcome: 'complete' },
    { kind: 'end-without-done', words: 4, ended: 'end', whole: true, done: false, outcome: 'complete' },
    { kind: 'error-frame', words: 2, ended: 'end', whole: true, done: false, outcome: 'complete' },
    { kind: 'in-band-error', words: 0, ended: 'end', whole: true, done: true, outcome: 'complete' },
  ] as const)('$kind', async ({ kind, words, ended, whole, done, outcome }) => {
    const reply = await meet({ kind, afterChunks: 2 }, true)
    expect(reply.head).toMatch(/^HTTP\/1\.1 200 /)
    expect(said(reply)).toEqual(fragments.slice(0, words))
    expect([reply.ended, isEnded(reply), isDone(reply)]).toEqual([ended, whole, done])
    const record = await lastRecord(node, (last) => last.outcome !== 'under-way')
    expect(record).toMatchObject({ outcome, fault: kind, scriptId: 'fault' })
    expect(record.closedByPeerAtMs).toBeUndefined()
  })

  test('broken-json breaks one event', async () => {
    const reply = await meet({ kind: 'broken-json', afterChunks: 1 }, true)
    const data = [...reply.body.matchAll(/^data: (.*)\n\n/gm)].map(([, text = '']) => text)
    expect(data).toHaveLength(6)
    expect(() => JSON.parse(data[1] ?? '')).toThrow()
    expect([isEnded(reply), isDone(reply)]).toEqual([true, true])
  })

  test('a connection can be closed inside a character', async () => {
    node.script('inside', { fragments: ['one ', 'Größe'], fault: { kind: 'close-inside-character', afterChunks: 1 } })
    const reply = await heard(node, chatRequest('assay-script-inside', { stream: true }))
    expect(said(reply)).toEqual(['one '])
    expect(reply.body).toMatch(/Gr\ufffd/)
    expect(reply.body).not.toContain('ö')
    expect(isEnded(reply)).toBe(false)
  })

  test('an error is the one that the script has', async () => {
    const reply = await meet({ kind: 'error-frame', afterChunks: 9, error: { message: 'at 10.0.0.7' } }, true)
    expect(reply.body).toContain('data: {"error":{"message":"at 10.0.0.7"}}\n\n')
  })

  test('no chunk at all may go out before a reset', async () => {
    const reply = await meet({ kind: 'reset-mid-stream', afterChunks: 0 }, true)
    expect(reply).toMatchObject({ head: expect.stringMatching(/^HTTP\/1\.1 200 /), body: '', ended: 'reset' })
  })

  test('an endless line waits for a reader who does not read', async () => {
    node.script('endless', { fragments, fault: { kind: 'endless-line' } })
    const socket = opened(node, chatRequest('assay-script-endless', { stream: true }))
    await brings(socket, 'aaaa')
    socket.pause()
    let before = -1
    const isStill = await lastRecord(node, ({ bytesWritten }) => {
      const still = bytesWritten === before
      before = bytesWritten
      return still
    })
    expect(isStill.outcome).toBe('under-way')
    socket.resume()
    await lastRecord(node, ({ bytesWritten }) => bytesWritten > isStill.bytesWritten)
    socket.destroy()
    expect(await lastRecord(node, ({ outcome }) => outcome !== 'under-way')).toMatchObject({
      outcome: 'closed-by-peer',
    })
  })
})

describe('in JSON mode', () => {
  test.each([
    ['reset-mid-stream', 'reset', false],
    ['truncated-json', 'end', false],
    ['broken-json', 'end', true],
    ['end-mid-stream', 'end', true],
  ] as const)('%s sends half', async (kind, ended, isHonest) => {
    const whole = await meet(undefined, false)
    const reply = await meet({ kind }, false)
    expect(whole.body.length).toBeGreaterThan(100)
    expect(reply.body.length).toBe(Math.ceil(whole.body.length / 2))
    expect(reply.ended).toBe(ended)
    expect(reply.head.includes(`content-length: ${reply.body.length}`)).toBe(isHonest)
  })

  test.each(['error-frame', 'in-band-error'] as const)('%s is an error that says success', async (kind) => {
    const { head, body } = await meet({ kind }, false)
    expect([head.startsWith('HTTP/1.1 200 '), Object.keys(JSON.parse(body))]).toEqual([true, ['error']])
  })
})

describe.each([true, false])('in both modes, stream %s', (stream) => {
  test.each([
    ['reset-before-head', 'reset'],
    ['close-before-head', 'end'],
  ] as const)('%s sends no byte', async (kind, ended) => {
    expect(await meet({ kind }, stream)).toEqual({ head: '', body: '', ended })
  })

  test.each([
    ['hang-before-head', 0],
    ['hang-mid-stream', 1],
  ] as const satisfies [FaultKind, number][])('%s says no more, and sees the abort', async (kind, chunks) => {
    node.clearRecords()
    node.script('hang', { fragments, fault: { kind } })
    const socket = opened(node, chatRequest('assay-script-hang', { stream }))
    if (chunks > 0) await brings(socket, stream ? '"one "' : '"choices"')
    else await lastRecord(node, ({ scripted }) => scripted)
    expect(node.records().at(-1)).toMatchObject({ outcome: 'under-way' })
    socket.destroy()
    const record = await lastRecord(node, ({ outcome }) => outcome !== 'under-way')
    expect(record).toMatchObject({ outcome: 'closed-by-peer', chunksWritten: stream ? chunks : 0 })
    expect(record.status).toBe(chunks > 0 ? 200 : undefined)
  })
})
