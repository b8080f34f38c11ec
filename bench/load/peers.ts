import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/**
 * `npm run bench:load-peers`: other load tools beside ours on one server that stamps what it writes (first token after 200 ms,
 * then one event each 20 ms on every stream). Tools are installed into a cache folder; what can not be is named.
 */
const streams = 100
const events = 250
const truth = { ttftMs: 200, gapMs: 20 }
const cache = join(import.meta.dirname, '..', '..', '.cache', 'peers')

interface Peer {
  readonly name: string
  /** Installs it, and says why when it can not. */
  install(): string | undefined
  command(url: string): readonly [string, readonly string[]]
  /** What it says of first tokens and gaps, from what it printed. */
  read(out: string): string
}

const body = JSON.stringify({
  model: 'small',
  messages: [{ role: 'user', content: 'Tell me.' }],
  stream: true,
  max_tokens: events,
})

function tryInstall(command: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { cwd: cache, timeout: 900_000, encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'failed'
}

const venv = (name: string): string => join(cache, name, 'bin', 'python')

function pip(name: string, packages: readonly string[]): string | undefined {
  if (existsSync(join(cache, name, '.installed'))) return undefined
  const made = tryInstall('python3', ['-m', 'venv', name])
  if (made !== undefined) return made
  const failed = tryInstall(venv(name), ['-m', 'pip', 'install', '-q', ...packages])
  if (failed === undefined) execFileSync('touch', [join(cache, name, '.installed')])
  return failed
}

/** The read loops of the Python tools, in their own libraries. */
const pythonLoop = (library: 'aiohttp' | 'httpx'): string => `
import asyncio, json, sys, time
url, body, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
ttft, gaps, count = [], [], 0
def seen(line, state):
    global count
    if not line.startswith('data: {'): return
    now = time.perf_counter(); count += 1
    json.loads(line[6:])
    if state[1] is None: ttft.append(now - state[0])
    else: gaps.append(now - state[1])
    state[1] = now
${
  library === 'aiohttp'
    ? `import aiohttp
async def one(session):
    state = [time.perf_counter(), None]
    async with session.post(url, data=body, headers={'content-type': 'application/json'}) as r:
        async for line in r.content: seen(line.decode().strip(), state)
async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session: await asyncio.gather(*[one(session) for _ in range(n)])`
    : `import httpx
async def one(client):
    state = [time.perf_counter(), None]
    async with client.stream('POST', url, content=body, headers={'content-type': 'application/json'}) as r:
        async for line in r.aiter_lines(): seen(line, state)
async def main():
    async with httpx.AsyncClient(timeout=60, limits=httpx.Limits(max_connections=None)) as client: await asyncio.gather(*[one(client) for _ in range(n)])`
}
asyncio.run(main())
ttft.sort(); gaps.sort()
at = lambda v, p: v[min(len(v) - 1, int(p * len(v)))] * 1000
print(json.dumps({'events': count, 'ttft': [at(ttft, .5), at(ttft, .95)], 'gap': [at(gaps, .5), at(gaps, .95), at(gaps, .99)]}))
`

function python(library: 'aiohttp' | 'httpx', like: string): Peer {
  return {
    name: `${library}, the loop of ${like}`,
    install: () => pip(library, [library]),
    command: (url) => [venv(library), ['-c', pythonLoop(library), url, body, String(streams)]],
    read(out) {
      const { ttft, gap } = JSON.parse(out) as { ttft: number[]; gap: number[] }
      return said(ttft, gap)
    },
  }
}

function said(
  [ttft50 = 0, ttft95 = 0]: readonly number[],
  [gap50 = 0, gap95 = 0, gap99 = 0]: readonly number[],
): string {
  const off = (value: number, known: number): string => `${value - known >= 0 ? '+' : ''}${(value - known).toFixed(2)}`
  return `ttft p50 ${off(ttft50, truth.ttftMs)}, p95 ${off(ttft95, truth.ttftMs)} ms; gap p50 ${off(gap50, truth.gapMs)}, p95 ${off(gap95, truth.gapMs)}, p99 ${off(gap99, truth.gapMs)} ms`
}

const assay = join(import.meta.dirname, '..', '..', 'bin', 'assay.cjs')

const peers: readonly Peer[] = [
  {
    name: 'assay load',
    install: () => undefined,
    command: (url) => [
      process.execPath,
      [
        assay,
        'load',
        '--base-url',
        new URL(url).origin,
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
  },
  python('aiohttp', 'the clients of vLLM and inference-perf'),
  python('httpx', 'guidellm'),
  {
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
  },
  {
    name: 'k6 with xk6-sse',
    install: () => {
      mkdirSync(join(cache, 'k6src'), { recursive: true })
      return tryInstall('go', ['install', 'github.com/phymbert/xk6-sse@latest'])
    },
    command: () => ['k6', []],
    read: () => '',
  },
  {
    name: 'guidellm',
    install: () => 'its synthetic prompts need a tokenizer of a model hub, which is no package of PyPI',
    command: () => ['guidellm', []],
    read: () => '',
  },
  {
    name: 'vLLM benchmark client',
    install: () => 'it is a part of the whole engine, several gigabytes of GPU libraries',
    command: () => ['vllm', []],
    read: () => '',
  },
  {
    name: 'llmperf',
    install: () => {
      const { status } = spawnSync('python3', ['-m', 'pip', 'index', 'versions', 'llmperf'], { encoding: 'utf8' })
      return status === 0
        ? 'the package of that name is another one, or asks for a tokenizer of a model hub'
        : 'it is not on PyPI'
    },
    command: () => ['llmperf', []],
    read: () => '',
  },
]

/** CPU seconds of the children of a shell, which tells them when it ends. */
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
  const server = spawn(process.execPath, [join(import.meta.dirname, 'server.ts'), 'paced', String(events)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url = '']: string[] = await once(createInterface(server.stdout), 'line')
  const { out, cpuS } = await timed(...peer.command(url))
  server.kill('SIGKILL')
  const perEvent = ((cpuS * 1e6) / (streams * events)).toFixed(1)
  console.log(`${peer.name}: ${perEvent} µs CPU an event, start included; ${peer.read(out.trim())}`)
}
