import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { at, numberAt } from '../../src/json.ts'
import { cache, events, type Peer, pip, pythonOf, said, streams, wordTokenizer } from './peer.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-peers-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))

export const guidellm: Peer = {
  name: 'guidellm (its gaps are averages over whole streams)',
  install: () => pip('guidellm', ['guidellm']),
  command(url) {
    const prompts = join(folder, 'prompts.txt')
    writeFileSync(prompts, 'Tell me.\n'.repeat(2 * streams))
    return [
      join(cache, 'guidellm', 'bin', 'guidellm'),
      [
        'run',
        `--backend=kind=openai_http,target=${new URL('/api', url).href},model=small,request_format=/v1/chat/completions`,
        `--profile=kind=concurrent,streams=${streams}`,
        `--constraint=kind=max_requests,count=${streams}`,
        `--tokenizer=kind=hf_auto,model=${wordTokenizer(pythonOf('guidellm'))}`,
        `--data=kind=text_file,path=${prompts}`,
        `--output=kind=json,path=${join(folder, 'guidellm.json')}`,
        '--disable-console',
      ],
    ]
  },
  read() {
    const [benchmark] = (JSON.parse(readFileSync(join(folder, 'guidellm.json'), 'utf8')) as { benchmarks: unknown[] })
      .benchmarks
    const of = (name: string, ...percentiles: readonly string[]): number[] =>
      percentiles.map((p) => numberAt(benchmark, 'metrics', name, 'successful', 'percentiles', p) ?? Number.NaN)
    return said(of('time_to_first_token_ms', 'p50', 'p95'), of('inter_token_latency_ms', 'p50', 'p95', 'p99'))
  },
}

export const aiperf: Peer = {
  name: 'aiperf',
  install: () => pip('aiperf', ['aiperf']),
  command: (url) => [
    join(cache, 'aiperf', 'bin', 'aiperf'),
    [
      'profile',
      '--model=small',
      `--url=${new URL(url).origin}`,
      `--custom-endpoint=${new URL(url).pathname}`,
      '--endpoint-type=chat',
      '--streaming',
      `--concurrency=${streams}`,
      `--request-count=${streams}`,
      `--tokenizer=${wordTokenizer(pythonOf('aiperf'))}`,
      '--use-server-token-count',
      '--synthetic-input-tokens-mean=16',
      `--output-tokens-mean=${events}`,
      '--ui=none',
      `--artifact-dir=${folder}`,
    ],
  ],
  read() {
    const found: unknown = JSON.parse(readFileSync(join(folder, 'profile_export_aiperf.json'), 'utf8'))
    const of = (name: string, ...percentiles: readonly string[]): number[] =>
      percentiles.map((p) => numberAt(at(found, name), p) ?? Number.NaN)
    return said(of('time_to_first_token', 'p50', 'p95'), of('inter_chunk_latency', 'p50', 'p95', 'p99'))
  },
}
