import { afterAll, describe, expect, test } from 'vitest'
import { startNode } from '../node-server.ts'
import type { Script } from '../script/script.ts'
import { chatRequest, heard } from '../test-tools.ts'
import { dialectNames } from './dialects.ts'

const nodes = new Map(
  await Promise.all(
    dialectNames.map(async (dialect) => [dialect, await startNode({ models: ['small'], dialect })] as const),
  ),
)
const plain = await startNode({ models: ['small'] })

afterAll(() => Promise.all([plain, ...nodes.values()].map((node) => node.close())))

type Name = (typeof dialectNames)[number]

interface SeenChunk {
  readonly id: string
  readonly choices: readonly { readonly delta: { readonly content?: string | null }; readonly finish_reason?: string }[]
  readonly usage?: object | null
}

const fragments = ['One ', 'two ', 'three.']

/** What a node with this dialect answers to a request that follows the script, head and body. */
async function answerOf(dialect: Name | undefined, script: Script, change: object = {}) {
  const node = (dialect === undefined ? undefined : nodes.get(dialect)) ?? plain
  node.script('one', { fragments, ...script })
  const { head, body } = await heard(node, chatRequest('assay-script-one', change))
  const data = [...body.matchAll(/^data: (.*)\r?\n/gm)].map(([, text = '']) => text)
  const chunks = data.filter((text) => text !== '[DONE]').map((text): SeenChunk => JSON.parse(text))
  return { head, body, data, chunks }
}

const streamed = (options: object = {}): object => ({ stream: true, ...options })
const withUsage = streamed({ stream_options: { include_usage: true } })

const textIn = (chunks: readonly SeenChunk[]): string =>
  chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')

describe.each(dialectNames)('%s', (name) => {
  test('says the same as a plain node in both modes', async () => {
    const { body } = await answerOf(name, {})
    expect(JSON.parse(body)).toMatchObject({
      object: 'chat.completion',
      model: 'small',
      choices: [{ index: 0, message: { role: 'assistant', content: fragments.join('') }, finish_reason: 'stop' }],
    })
    for (const finishReason of ['stop', 'length']) {
      const { chunks, data } = await answerOf(name, { finishReason }, streamed())
      expect(textIn(chunks)).toBe(fragments.join(''))
      expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual([finishReason])
      expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
      expect(data.at(-1)).toBe('[DONE]')
    }
  })

  test('counts in a chunk of its own when asked, and nowhere else', async () => {
    const asked = (await answerOf(name, {}, withUsage)).chunks
    const counts = (await answerOf(undefined, {}, withUsage)).chunks.at(-1)?.usage
    expect(asked.at(-1)).toMatchObject({ choices: [], usage: { ...counts } })
    expect(asked.slice(0, -1).every(({ usage }) => (usage ?? null) === null)).toBe(true)
    const { chunks } = await answerOf(name, {}, streamed())
    expect(chunks.every(({ choices, usage }) => choices.length === 1 && (usage ?? null) === null)).toBe(true)
  })

  test('yields to what a script says', async () => {
    const script: Script = {
      id: 'mine',
      usage: { prompt_tokens: 7 },
      usageWhere: 'every-chunk',
      extra: { chunk: { system_fingerprint: 'x' }, choice: { seen: 1 }, delta: { refusal: 'no' } },
      headers: { Server: 'other' },
    }
    const { chunks, head } = await answerOf(name, script, streamed())
    expect(head).toMatch(/\r\nserver: other\r\n/)
    for (const chunk of chunks)
      expect(chunk).toMatchObject({ id: 'mine', usage: { prompt_tokens: 7 }, system_fingerprint: 'x' })
    const spoken = chunks.filter(({ choices }) => (choices[0]?.delta.content ?? '') !== '')
    expect(spoken).toHaveLength(fragments.length)
    for (const { choices } of spoken) expect(choices[0]).toMatchObject({ seen: 1, delta: { refusal: 'no' } })
    expect(JSON.parse((await answerOf(name, { usageWhere: 'never' })).body)).not.toHaveProperty('usage')
  })

  test('draws an id for each reply', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => JSON.parse((await answerOf(name, {})).body).id))
    expect(new Set(ids).size).toBe(3)
  })

  test('breaks off after as many fragments as a plain node', async () => {
    for (const afterChunks of [0, 1, 2, 9]) {
      const script: Script = { fault: { kind: 'end-mid-stream', afterChunks } }
      const [one, other] = [await answerOf(name, script, streamed()), await answerOf(undefined, script, streamed())]
      expect(textIn(one.chunks)).toBe(textIn(other.chunks))
      expect(one.data).not.toContain('[DONE]')
    }
  })

  test('lists its models', async () => {
    const { data, object } = JSON.parse(await (await fetch(`${nodes.get(name)?.url}/v1/models`)).text())
    expect([object, data.length, data[0].id, data[0].object]).toEqual(['list', 1, 'small', 'model'])
  })
})

test('the first and the last chunks are those of the engine', async () => {
  const shapes: Record<string, unknown> = {}
  for (const name of dialectNames) {
    const { chunks } = await answerOf(name, { finishReason: 'length' }, withUsage)
    const [first, finish] = [chunks[0], chunks.at(-2)]
    const isUsageNull = first?.usage === null
    shapes[name] = [first?.choices[0]?.delta, finish?.choices[0]?.delta, isUsageNull, chunks.length]
  }
  expect(shapes).toEqual({
    vllm: [{ role: 'assistant', content: '' }, { content: 'three.' }, false, 5],
    'llama.cpp': [{ role: 'assistant', content: null }, {}, false, 6],
    sglang: [{ reasoning_content: null, role: 'assistant', content: '' }, { reasoning_content: null }, false, 6],
    openai: [{ role: 'assistant', content: '', refusal: null }, {}, true, 6],
  })
})

test('errors are those of the engine', async () => {
  const answers: Record<string, unknown> = {}
  for (const name of dialectNames) {
    const unknown = await heard(nodes.get(name) ?? plain, chatRequest('Hello', { model: 'other' }))
    const late = await answerOf(name, { fault: { kind: 'error-frame', afterChunks: 1 } }, streamed())
    answers[name] = [JSON.parse(unknown.body), late.chunks.at(-1), late.data.at(-1) === '[DONE]']
  }
  const noModel = 'This node does not serve the model.'
  const failed = 'The node failed.'
  const flat = { object: 'error', param: null }
  expect(answers).toEqual({
    vllm: [
      { error: { message: noModel, type: 'NotFoundError', param: 'model', code: 404 } },
      { error: { message: failed, type: 'InternalServerError', param: null, code: 500 } },
      true,
    ],
    'llama.cpp': [
      { error: { code: 404, message: noModel, type: 'not_found_error' } },
      { error: { code: 500, message: failed, type: 'server_error' } },
      false,
    ],
    sglang: [
      { ...flat, message: noModel, type: 'NotFoundError', param: 'model', code: 404 },
      { error: { ...flat, message: failed, type: 'InternalServerError', code: 500 } },
      true,
    ],
    openai: [
      { error: { message: noModel, type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
      { error: { message: failed, type: 'server_error', param: null, code: 'node_failed' } },
      false,
    ],
  })
})

test('a script may speak in another dialect than its node', async () => {
  const { chunks } = await answerOf('vllm', { dialect: 'llama.cpp' }, streamed())
  expect(chunks.at(-1)).toHaveProperty('timings')
})

test('two nodes of one seed give different ids, as two engines do', async () => {
  const twins = await Promise.all([1, 2].map(() => startNode({ models: ['small'], seed: 7 })))
  const bodies = await Promise.all(twins.map(async (node) => (await heard(node, chatRequest('hello', {}))).body))
  await Promise.all(twins.map((node) => node.close()))
  const [one, other] = bodies.map((body) => JSON.parse(body).id)
  expect(one).not.toBe(other)
})

test('sglang tells its router the name of the model, and a plain node has no such path', async () => {
  const facts = async (url = '') => (await fetch(`${url}/server_info`)).json()
  expect(await facts(nodes.get('sglang')?.url)).toMatchObject({ served_model_name: 'small' })
  expect((await fetch(`${plain.url}/server_info`)).status).toBe(404)
})
