import { callersKey, nodesKey, patient, pip, run, type Server } from '../server.ts'

/** A proxy that puts the provider's key in the place of its own, and passes on all else as it is. */
export const openaiForward: Server = {
  name: 'openai-forward',
  title: 'openai-forward',
  kind: 'gateway',
  from: 'PyPI',
  versions: ['0.8.1', '0.7.2', '0.6.12'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', ...patient],
  keys: async () => ({ ASSAY_API_KEY: callersKey, ASSAY_NODE_KEY: nodesKey }),
  // It does not name the parser of its own settings among what it needs.
  install: (folder, version) => pip(folder, 'aifd', [`openai-forward==${version}`, 'pyyaml']),
  start: (folder, port, [node = '']) =>
    run(folder, 'venv/bin/aifd', ['run', '--port', String(port)], {
      FORWARD_CONFIG: JSON.stringify([{ base_url: node, route: '/', type: 'openai' }]),
      OPENAI_API_KEY_CONFIG: JSON.stringify({ [nodesKey]: [0] }),
      FORWARD_KEY_CONFIG: JSON.stringify({ 0: [callersKey] }),
      LOG_CHAT: 'false',
    }),
}
