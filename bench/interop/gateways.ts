import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveKey } from '../../reference-server/keys/key.ts'
import { type Candidate, npm, run } from './candidate.ts'

const keys = async () => ({ ASSAY_API_KEY: 'sk-interop' })
const assay = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')

/** Gateways from registries, between our client and two of our nodes, with options as in their profiles in `fixtures/profiles/`. */
export const gateways: readonly Candidate[] = [
  {
    name: 'reference',
    title: 'Assay reference gateway',
    nodes: 2,
    options: () => ['--model', 'small'],
    // The key of --demo is always the same for one service name and seed.
    keys: async () => ({ ASSAY_API_KEY: deriveKey('assay', 1, 'first').key }),
    install: () => {},
    start: (folder, port, nodes) => {
      mkdirSync(folder, { recursive: true })
      const own = nodes.flatMap((url) => ['--node', `${url}=small`])
      return run(folder, process.execPath, [
        assay,
        'gateway',
        '--listen',
        `127.0.0.1:${port}`,
        '--store',
        'memory',
        '--demo',
        ...own,
      ])
    },
  },
  {
    name: 'portkey',
    title: '@portkey-ai/gateway 1.15.2 (with @hono/node-server 1.13.5)',
    nodes: 2,
    options: ([node]) => [
      '--api-path',
      '/v1',
      '--model',
      'small',
      '--header',
      'x-portkey-provider: openai',
      '--header',
      `x-portkey-custom-host: ${node}/v1`,
    ],
    keys,
    // With the newest node-server that it allows, it cannot stream at all.
    install: (folder) => npm(folder, { '@portkey-ai/gateway': '1.15.2' }, { '@hono/node-server': '1.13.5' }),
    start: (folder, port) =>
      run(folder, process.execPath, [
        'node_modules/@portkey-ai/gateway/build/start-server.js',
        `--port=${port}`,
        '--headless',
      ]),
  },
  {
    name: 'llms',
    title: '@musistudio/llms 1.0.53',
    nodes: 2,
    options: () => ['--api-path', '/v1', '--model', 'floor,small'],
    keys,
    install(folder) {
      npm(folder, { '@musistudio/llms': '1.0.53' })
      // Node cannot load its build for modules, only the one for require.
      writeFileSync(
        join(folder, 'start.cjs'),
        `const llms = require('@musistudio/llms')
const Server = llms.default ?? llms.Server ?? llms
const [port, url] = process.argv.slice(2)
const providers = [{ name: 'floor', api_base_url: url + '/v1/chat/completions', api_key: 'x', models: ['small'] }]
new Server({ initialConfig: { providers, HOST: '127.0.0.1', PORT: Number(port) } }).start()
`,
      )
    },
    start: (folder, port, [node = '']) => run(folder, process.execPath, ['start.cjs', String(port), node]),
  },
  {
    name: 'litellm',
    title: 'LiteLLM proxy 1.80.5',
    nodes: 2,
    options: () => ['--api-path', '/v1', '--model', 'small'],
    keys,
    install(folder) {
      if (existsSync(join(folder, 'venv', 'bin', 'litellm'))) return
      mkdirSync(folder, { recursive: true })
      execFileSync('python3', ['-m', 'venv', 'venv'], { cwd: folder, stdio: 'inherit' })
      execFileSync('venv/bin/pip', ['install', '--quiet', 'litellm[proxy]==1.80.5'], { cwd: folder, stdio: 'inherit' })
    },
    start(folder, port, nodes) {
      const models = nodes.map(
        (url) =>
          `  - model_name: small\n    litellm_params: {model: openai/small, api_base: "${url}/v1", api_key: x}\n`,
      )
      writeFileSync(join(folder, 'config.yaml'), `model_list:\n${models.join('')}`)
      const args = ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)]
      return run(folder, 'venv/bin/litellm', args, { LITELLM_LOCAL_MODEL_COST_MAP: 'True', DO_NOT_TRACK: '1' })
    },
  },
]
