import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { callersKey, gatewayKeys, nodesKey, patient, pip, run, type Server } from '../server.ts'

/** The proxy of LiteLLM with two deployments of one model and a master key, without a database. */
export const litellm: Server = {
  name: 'litellm',
  title: 'LiteLLM proxy',
  kind: 'gateway',
  from: 'PyPI',
  // 1.106.3 and later want a certifi that is newer than any on PyPI.
  versions: ['1.106.2', '1.80.5'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', ...patient],
  keys: gatewayKeys,
  install: (folder, version) => pip(folder, 'litellm', [`litellm[proxy]==${version}`]),
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
