import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callersKey, nodesKey, patient, run, type Server } from '../server.ts'

const secondKey = 'sk-interop-second-9876'

/** A gateway in Rust, with a provider for each node, between which it chooses by their weight. */
export const crabllm: Server = {
  name: 'crabllm',
  title: 'crabllm',
  kind: 'gateway',
  from: 'crates.io',
  versions: ['0.0.25'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', ...patient],
  keys: async () => ({ ASSAY_API_KEY: callersKey, ASSAY_SECOND_KEY: secondKey, ASSAY_NODE_KEY: nodesKey }),
  install(folder, version) {
    if (existsSync(join(folder, 'bin', 'crabllm'))) return
    mkdirSync(folder, { recursive: true })
    const args = ['install', 'crabllm', '--quiet', '--version', version, '--locked', '--root', folder]
    execFileSync('cargo', args, { stdio: 'inherit' })
  },
  start(folder, port, nodes) {
    const providers = nodes.map(
      (url, at) => `[providers.node${at}]
kind = "openai"
base_url = "${url}/v1"
api_key = "${nodesKey}"
models = ["small"]
`,
    )
    const keys = Object.entries({ main: callersKey, second: secondKey }).map(
      ([name, key]) => `[[keys]]
name = "${name}"
key = "${key}"
models = ["*"]
`,
    )
    writeFileSync(join(folder, 'config.toml'), [`listen = "127.0.0.1:${port}"\n`, ...providers, ...keys].join('\n'))
    return run(folder, 'bin/crabllm', ['serve', '--config', 'config.toml'])
  },
}
