import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deriveKey } from '../../reference-server/keys/key.ts'
import { type Candidate, npm, run } from './candidate.ts'

/** Given to each gateway as its own, where it keeps keys; and what it has to send to our nodes. */
const [callersKey, nodesKey] = ['sk-interop-0123456789', 'sk-node-9876543210']
const keys = async () => ({ ASSAY_API_KEY: callersKey, ASSAY_NODE_KEY: nodesKey })

/** Some rest a node that failed, and the checks wait. */
const patient = ['--max-time', '300', '--max-requests', '6000']

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
      ...patient,
    ],
    // "Authorization" is the provider's key, says its README.
    keys: async () => ({ ASSAY_API_KEY: callersKey, ASSAY_NODE_KEY: callersKey }),
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
    options: () => ['--api-path', '/v1', '--model', 'floor,small', ...patient],
    keys,
    install(folder) {
      npm(folder, { '@musistudio/llms': '1.0.53' })
      // Node cannot load its build for modules, only the one for require.
      writeFileSync(
        join(folder, 'start.cjs'),
        `const llms = require('@musistudio/llms')
const Server = llms.default ?? llms.Server ?? llms
const [port, url] = process.argv.slice(2)
const providers = [{ name: 'floor', api_base_url: url + '/v1/chat/completions', api_key: '${nodesKey}', models: ['small'] }]
new Server({ initialConfig: { providers, HOST: '127.0.0.1', PORT: Number(port) } }).start()
`,
      )
    },
    start: (folder, port, [node = '']) => run(folder, process.execPath, ['start.cjs', String(port), node]),
  },
  litellm('litellm', '1.80.5'),
  // 1.106.3 and later want a certifi that is newer than any on PyPI.
  litellm('litellm-newest', '1.106.2'),
]

function litellm(name: string, version: string): Candidate {
  return {
    name,
    title: `LiteLLM proxy ${version}`,
    nodes: 2,
    options: () => ['--api-path', '/v1', '--model', 'small', ...patient],
    keys,
    install(folder) {
      if (existsSync(join(folder, 'venv', 'bin', 'litellm'))) return
      mkdirSync(folder, { recursive: true })
      execFileSync('python3', ['-m', 'venv', 'venv'], { cwd: folder, stdio: 'inherit' })
      const wanted = `litellm[proxy]==${version}`
      execFileSync('venv/bin/pip', ['install', '--quiet', wanted], { cwd: folder, stdio: 'inherit' })
    },
    start(folder, port, nodes) {
      const models = nodes.map(
        (url) =>
          `  - model_name: small\n    litellm_params: {model: openai/small, api_base: "${url}/v1", api_key: ${nodesKey}}\n`,
      )
      const general = `general_settings: {master_key: ${callersKey}}\n`
      writeFileSync(join(folder, 'config.yaml'), `${general}model_list:\n${models.join('')}`)
      const args = ['--config', 'config.yaml', '--host', '127.0.0.1', '--port', String(port)]
      return run(folder, 'venv/bin/litellm', args, { LITELLM_LOCAL_MODEL_COST_MAP: 'True', DO_NOT_TRACK: '1' })
    },
  }
}
