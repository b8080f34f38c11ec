import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pip, run, type Server } from '../server.ts'

const key = 'sk-interop-llama-cpp-python'
const model = 'tiny.gguf'
/** What the model can hold, and what the server is told to use. */
const window = '4096'

/** The engine of laptops: one reply at a time, here of a model with random weights whose tokens are bytes. */
export const llamaCppPython: Server = {
  name: 'llama-cpp-python',
  title: 'llama-cpp-python (its server, a tiny random model)',
  kind: 'engine',
  from: 'PyPI',
  versions: ['0.3.36'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--context-window', window, '--level', 'should', '--max-time', '180'],
  install(folder, version) {
    // It is compiled, for half an hour on two busy cores; pictures are not needed.
    const packages = [`llama-cpp-python[server]==${version}`, 'gguf==0.19.0']
    pip(folder, 'uvicorn', packages, { CMAKE_ARGS: '-DLLAVA_BUILD=OFF' })
    if (existsSync(join(folder, model))) return
    const maker = join(import.meta.dirname, 'programs', 'tiny-model.py')
    execFileSync('venv/bin/python', [maker, model], { cwd: folder, stdio: 'inherit' })
  },
  start: (folder, port) =>
    run(folder, 'venv/bin/python', [
      ...['-m', 'llama_cpp.server', '--model', model, '--model_alias', 'small'],
      ...['--host', '127.0.0.1', '--port', String(port), '--api_key', key],
      ...['--n_ctx', window, '--n_threads', '1', '--n_threads_batch', '1'],
    ]),
  keys: async () => ({ ASSAY_API_KEY: key }),
}
