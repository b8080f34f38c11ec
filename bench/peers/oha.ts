import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { body, cache, type Peer, streams, tryInstall } from './peer.ts'

export const oha: Peer = {
  name: 'oha',
  install: () =>
    existsSync(join(cache, 'oha', 'bin', 'oha'))
      ? undefined
      : tryInstall('cargo', ['install', 'oha', '--locked', '--root', 'oha']),
  command: (url) => [
    join(cache, 'oha', 'bin', 'oha'),
    [
      '-n',
      String(streams),
      '-c',
      String(streams),
      '--no-tui',
      '--output-format',
      'json',
      '-m',
      'POST',
      '-T',
      'application/json',
      '-d',
      body,
      url,
    ],
  ],
  read(out) {
    const { summary } = JSON.parse(out) as { summary: { average: number; successRate: number } }
    return `no first token and no gap; mean of whole streams ${(summary.average * 1000).toFixed(0)} ms, success ${summary.successRate}`
  },
}
