import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callersKey, nodesKey, npm, patient, run, type Server } from '../server.ts'

const secondKey = 'sk-interop-second-9876'

/** A gateway of plugins, of which it brings those used here: one knows the keys, one falls back from one node to the other. */
export const nullplatform: Server = {
  name: 'nullplatform',
  title: '@nullplatform/llm-gateway',
  kind: 'gateway',
  from: 'npm',
  versions: ['2.0.11'],
  nodes: 2,
  options: () => ['--api-path', '/openai', '--model', 'small', ...patient],
  keys: async () => ({ ASSAY_API_KEY: callersKey, ASSAY_SECOND_KEY: secondKey, ASSAY_NODE_KEY: nodesKey }),
  // One of its dependencies asks for a release of the others that is not published any more.
  install: (folder, version) =>
    npm(folder, { '@nullplatform/llm-gateway': version }, { '@nullplatform/llm-gateway-sdk': '2.0.2' }),
  start(folder, port, nodes) {
    const models = nodes.map((url, at) => ({
      name: `node${at}`,
      provider: { type: 'openai', config: { apiKey: nodesKey, baseUrl: `${url}/v1`, model: 'small' } },
    }))
    const [first, ...fallbacks] = models.map(({ name }) => name)
    const config = {
      server: { port },
      logging: { level: 'error' },
      models,
      plugins: [
        { name: 'keys', type: 'basic-apikey-auth', config: { apikeys: [callersKey, secondKey] } },
        { name: 'route', type: 'model-router', config: { model: first, fallbacks } },
      ],
    }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config))
    const command = 'node_modules/@nullplatform/llm-gateway/dist/cli.js'
    return run(folder, process.execPath, [command, 'start', '--config', 'config.json'])
  },
}
