import { join } from 'node:path'
import { type Peer, said, streams } from './peer.ts'

const assay = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')

export const assayLoad: Peer = {
  name: 'assay load',
  install: () => undefined,
  command: (url) => [
    process.execPath,
    [
      assay,
      'load',
      '--base-url',
      new URL(url).origin,
      '--api-path',
      '/api/v1',
      '--model',
      'small',
      '--connections',
      String(streams),
      '--requests',
      String(streams),
      '--duration',
      '60',
      '--warmup',
      '0',
      '--report',
      'json',
    ],
  ],
  read(out) {
    const { metrics } = JSON.parse(out) as { metrics: Record<string, { service: Record<string, number> }> }
    const of = (name: string, ...stats: readonly string[]): number[] =>
      stats.map((stat) => metrics[name]?.service[stat] ?? Number.NaN)
    return said(of('ttft', 'p50', 'p95'), of('gap', 'p50', 'p95', 'p99'))
  },
}
