import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { serve } from './serve.mjs'

/** As in a shell: `curl --fail --no-buffer … | while read -r line`. */
function curl({ baseUrl, apiKey }, path, body) {
  const data = body === undefined ? [] : ['--json', JSON.stringify(body)]
  const shown = ['--silent', '--show-error', '--fail', '--no-buffer', '--retry', '2']
  return spawn('curl', [...shown, '-H', `Authorization: Bearer ${apiKey}`, ...data, `${baseUrl}${path}`])
}

async function* lines(child) {
  let complaint = ''
  child.stderr.on('data', (bytes) => {
    complaint += bytes
  })
  const ended = new Promise((end) => child.on('close', end))
  try {
    yield* createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY })
    if ((await ended) !== 0) throw failureIn(complaint)
  } finally {
    child.kill()
  }
}

/** `curl: (22) The requested URL returned error: 503` */
function failureIn(complaint) {
  const [, status] = /returned error: (\d+)/.exec(complaint) ?? []
  return Object.assign(new Error(complaint.trim().split('\n').at(-1)), {
    name: 'curl',
    status: status && Number(status),
  })
}

async function whole(child) {
  let text = ''
  for await (const line of lines(child)) text += `${line}\n`
  return JSON.parse(text)
}

const bodyOf = ({ model, prompt }) => ({ model, messages: [{ role: 'user', content: prompt }] })

await serve({
  list: async (order) => (await whole(curl(order, '/models'))).data.map(({ id }) => id),
  create: async (order) => (await whole(curl(order, '/chat/completions', bodyOf(order)))).choices[0].message.content,
  async *stream(order) {
    for await (const line of lines(curl(order, '/chat/completions', { ...bodyOf(order), stream: true }))) {
      if (!line.startsWith('data: {')) continue
      const { choices, error } = JSON.parse(line.slice('data: '.length))
      if (error) throw new Error(error.message)
      yield choices[0]?.delta.content
    }
  },
})
