import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gatewayKeys, nodesKey, npm, patient, run, type Server } from '../server.ts'

/** The gateway behind claude-code-router, with one provider. */
export const llms: Server = {
  name: 'llms',
  title: '@musistudio/llms',
  kind: 'gateway',
  from: 'npm',
  versions: ['1.0.53', '1.0.51', '1.0.45', '1.0.38'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'floor,small', ...patient],
  keys: gatewayKeys,
  install(folder, version) {
    npm(folder, { '@musistudio/llms': version })
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
}
