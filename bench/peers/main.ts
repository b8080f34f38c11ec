import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { assayLoad } from './assay.ts'
import { aiperf, guidellm } from './model-tools.ts'
import { oha } from './oha.ts'
import { cache, events, type Peer, streams, tryInstall } from './peer.ts'
import { pythonLoopPeer } from './python-loops.ts'

/**
 * `npm run bench:load-peers`: other load tools beside ours, on one server that stamps what it writes (the first token
 * after 200 ms, then one event every 20 ms on every stream). Tools are installed into a cache folder; those that cannot be
 * are named.
 */
const peers: readonly Peer[] = [
  assayLoad,
  pythonLoopPeer('aiohttp', 'the clients of vLLM and inference-perf'),
  pythonLoopPeer('httpx', 'guidellm'),
  guidellm,
  aiperf,
  oha,
  absent('k6 with xk6-sse', () => tryInstall('go', ['install', 'github.com/phymbert/xk6-sse@latest'])),
  absent('vLLM benchmark client', () => 'it comes only with the whole engine and gigabytes of GPU libraries'),
  absent('llmperf', () => 'the PyPI package of that name is a placeholder of another project'),
]

/** A tool that cannot be measured here; the reason is printed. */
function absent(name: string, install: () => string | undefined): Peer {
  return { name, install, command: () => [name, []], read: () => '' }
}

/** Runs a command in a shell, which reports the CPU seconds of its children when it ends. */
async function timed(
  command: string,
  args: readonly string[],
): Promise<{ readonly out: string; readonly cpuS: number }> {
  const child = spawn('bash', ['-c', '"$0" "$@"; code=$?; times >&2; exit $code', command, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.on('data', (bytes) => {
    out += bytes
  })
  child.stderr.on('data', (bytes) => {
    err += bytes
  })
  await once(child, 'close')
  const [, user = 0, system = 0] = /(\d+m[\d.]+s) (\d+m[\d.]+s)\s*$/.exec(err)?.map(secondsOf) ?? []
  return { out, cpuS: user + system }
}

function secondsOf(text: string): number {
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s$/.exec(text) ?? []
  return Number(minutes ?? 0) * 60 + Number(seconds ?? 0)
}

mkdirSync(cache, { recursive: true })
for (const peer of peers) {
  const why = peer.install()
  if (why !== undefined) {
    console.log(`${peer.name}: not installed: ${why.slice(0, 160)}`)
    continue
  }
  const server = spawn(
    process.execPath,
    [join(import.meta.dirname, '..', 'load', 'server.ts'), 'paced', String(events)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [url = '']: string[] = await once(createInterface(server.stdout), 'line')
  const { out, cpuS } = await timed(...peer.command(url))
  server.kill('SIGKILL')
  const perEvent = ((cpuS * 1e6) / (streams * events)).toFixed(1)
  console.log(`${peer.name}: ${perEvent} µs CPU per event, start included; ${peer.read(out.trim())}`)
}
