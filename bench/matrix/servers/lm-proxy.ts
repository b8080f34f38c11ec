import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callersKey, gatewayKeys, nodesKey, patient, pip, run, type Server } from '../server.ts'

/** A small gateway in Python, with one connection: each of its models has one. */
export const lmProxy: Server = {
  name: 'lm-proxy',
  title: 'lm-proxy',
  kind: 'gateway',
  from: 'PyPI',
  versions: ['3.3.2', '3.0.2', '2.1.1', '1.1.0'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', ...patient],
  keys: gatewayKeys,
  install: (folder, version) => pip(folder, 'lm-proxy', [`lm-proxy==${version}`]),
  start(folder, port, [node = '']) {
    const config = `host = "127.0.0.1"
port = ${port}
[connections.node]
api_type = "open_ai"
api_base = "${node}/v1"
api_key = "${nodesKey}"
[routing]
small = "node.small"
[groups.default]
api_keys = ["${callersKey}"]
`
    writeFileSync(join(folder, 'config.toml'), config)
    return run(folder, 'venv/bin/lm-proxy', ['--config', 'config.toml'])
  },
}
