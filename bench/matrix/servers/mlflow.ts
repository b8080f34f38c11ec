import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodesKey, patient, pip, run, type Server } from '../server.ts'

/** The AI gateway of MLflow, with one endpoint, whose model is behind one node; it knows no keys of callers. */
export const mlflow: Server = {
  name: 'mlflow',
  title: 'MLflow AI gateway',
  kind: 'gateway',
  from: 'PyPI',
  versions: ['3.17.2'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', ...patient],
  keys: async () => ({ ASSAY_API_KEY: 'sk-any-0123456789', ASSAY_NODE_KEY: nodesKey }),
  install: (folder, version) => pip(folder, 'mlflow', [`mlflow[gateway]==${version}`]),
  start(folder, port, [node = '']) {
    const config = { openai_api_key: nodesKey, openai_api_base: `${node}/v1` }
    const model = { provider: 'openai', name: 'small', config }
    // YAML reads JSON.
    const endpoints = [{ name: 'small', endpoint_type: 'llm/v1/chat', model }]
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ endpoints }))
    const where = ['--host', '127.0.0.1', '--port', String(port), '--workers', '1']
    return run(folder, 'venv/bin/mlflow', ['gateway', 'start', '--config-path', 'config.yaml', ...where])
  },
}
