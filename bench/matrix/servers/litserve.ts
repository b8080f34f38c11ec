import { join } from 'node:path'
import { pip, run, type Server } from '../server.ts'

/** The serving framework of Lightning, with a program of ours that repeats the last message. */
export const litserve: Server = {
  name: 'litserve',
  title: 'LitServe (OpenAISpec, an echo)',
  kind: 'engine',
  from: 'PyPI',
  versions: ['0.2.19', '0.2.6', '0.2.2'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'lit'],
  install: (folder, version) => pip(folder, 'uvicorn', [`litserve==${version}`]),
  start: (folder, port) =>
    run(folder, 'venv/bin/python', [join(import.meta.dirname, 'programs', 'litserve-echo.py'), String(port)]),
  keys: async () => ({ ASSAY_API_KEY: 'any' }),
}
