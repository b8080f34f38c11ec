import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A gateway from a registry, to install, start between our nodes and our client, and judge. */
export interface Candidate {
  readonly name: string
  /** Its name in the matrix, with the exact version. */
  readonly title: string
  /** Options of `assay conformance` besides the address and the nodes, as in its profile in `fixtures/profiles/`. */
  readonly options: readonly string[]
  /** The model that the client asks for. */
  readonly model: string
  /** Installs it into its own folder, unless it is installed already. */
  install(folder: string): void
  start(folder: string, port: number, nodes: readonly string[]): ChildProcess
}

function npm(folder: string, dependencies: object, overrides: object = {}): void {
  if (existsSync(join(folder, 'node_modules'))) return
  mkdirSync(folder, { recursive: true })
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ private: true, type: 'module', dependencies, overrides }),
  )
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], { cwd: folder, stdio: 'inherit' })
}

function run(folder: string, command: string, args: readonly string[], env: object = {}): ChildProcess {
  return spawn(command, args, { cwd: folder, stdio: 'ignore', env: { ...process.env, ...env } })
}

const assay = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')

export const candidates: readonly Candidate[] = [
  {
    name: 'reference',
    title: 'Assay reference gateway',
    options: [],
    model: 'small',
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
    options: ['--api-path', '/v1', '--header', 'x-portkey-provider: openai'],
    model: 'small',
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
    options: ['--api-path', '/v1'],
    model: 'floor,small',
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
  litellm('litellm', '1.80.5'),
  // 1.106.3 and later want a certifi that is newer than any on PyPI.
  litellm('litellm-newest', '1.106.2'),
]

function litellm(name: string, version: string): Candidate {
  return {
    name,
    title: `LiteLLM proxy ${version}`,
    options: ['--api-path', '/v1'],
    model: 'small',
    install(folder) {
      if (existsSync(join(folder, 'venv', 'bin', 'litellm'))) return
      mkdirSync(folder, { recursive: true })
      execFileSync('python3', ['-m', 'venv', 'venv'], { cwd: folder, stdio: 'inherit' })
      execFileSync('venv/bin/pip', ['install', '--quiet', `litellm[proxy]==${version}`], {
        cwd: folder,
        stdio: 'inherit',
      })
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
  }
}
