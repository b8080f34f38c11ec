import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { pip, run, type Server } from '../server.ts'

const model = 'tiny'

/** The server of Apple's machine learning framework, on a CPU, with a model of random weights whose tokens are bytes. */
export const mlxLm: Server = {
  name: 'mlx-lm',
  title: 'mlx-lm (its server on a CPU, a tiny random model)',
  kind: 'engine',
  from: 'PyPI',
  versions: ['0.31.3', '0.28.4'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--model', 'default_model', '--context-window', '4096', '--max-time', '240'],
  install(folder, version) {
    // Releases before 0.30 allow the fifth transformers, and do not work with it.
    const isOld = version.localeCompare('0.30', 'en', { numeric: true }) < 0
    const transformers = isOld ? 'transformers<5' : 'transformers'
    pip(folder, 'mlx_lm.server', [`mlx-lm==${version}`, 'mlx[cpu]==0.31.2', transformers])
    if (existsSync(join(folder, model))) return
    const maker = join(import.meta.dirname, 'programs', 'tiny-model-mlx.py')
    execFileSync('venv/bin/python', [maker, model], { cwd: folder, stdio: 'inherit' })
  },
  start(folder, port) {
    // It lists the models of this folder beside its own, and lists none without the folder.
    mkdirSync(join(folder, 'huggingface', 'hub'), { recursive: true })
    const env = { HF_HOME: join(folder, 'huggingface'), HF_HUB_OFFLINE: '1' }
    return run(folder, 'venv/bin/mlx_lm.server', ['--model', model, '--host', '127.0.0.1', '--port', String(port)], env)
  },
  keys: async () => ({ ASSAY_API_KEY: 'any' }),
}
