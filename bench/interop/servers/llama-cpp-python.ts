import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidate, run } from '../candidate.ts'

const version = '0.3.36'
const key = 'sk-interop-llama-cpp-python'
const model = 'tiny.gguf'
/** What the model can hold, and what the server is told to use. */
const window = '4096'

/** The engine of laptops: one reply at a time, here of a model with random weights whose tokens are bytes. */
export const llamaCppPython: Candidate = {
  name: 'llama-cpp-python',
  title: `llama-cpp-python ${version}`,
  nodes: 0,
  options: () => ['--api-path', '/v1', '--context-window', window, '--level', 'should', '--max-time', '180'],
  install(folder) {
    mkdirSync(folder, { recursive: true })
    const inFolder = (command: string, args: readonly string[], env: object = {}): void => {
      execFileSync(command, args, { cwd: folder, stdio: 'inherit', env: { ...process.env, ...env } })
    }
    if (!existsSync(join(folder, 'venv', 'bin', 'uvicorn'))) {
      inFolder('python3', ['-m', 'venv', 'venv'])
      // It is compiled, for half an hour on two busy cores; pictures are not needed.
      const packages = [`llama-cpp-python[server]==${version}`, 'gguf==0.19.0']
      inFolder('venv/bin/pip', ['install', '--quiet', ...packages], { CMAKE_ARGS: '-DLLAVA_BUILD=OFF' })
    }
    if (!existsSync(join(folder, model)))
      inFolder('venv/bin/python', [join(import.meta.dirname, 'tiny-model.py'), model])
  },
  start: (folder, port) =>
    run(folder, 'venv/bin/python', [
      ...['-m', 'llama_cpp.server', '--model', model, '--model_alias', 'small'],
      ...['--host', '127.0.0.1', '--port', String(port), '--api_key', key],
      ...['--n_ctx', window, '--n_threads', '1', '--n_threads_batch', '1'],
    ]),
  keys: async () => ({ ASSAY_API_KEY: key }),
}
