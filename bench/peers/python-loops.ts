import { body, type Peer, pip, pythonOf, said, streams } from './peer.ts'

/** The read loops of the Python tools, each with its own HTTP library. */
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

export function pythonLoopPeer(library: 'aiohttp' | 'httpx', like: string): Peer {
  return {
    name: `${library}, the loop of ${like}`,
    install: () => pip(library, [library]),
    command: (url) => [pythonOf(library), ['-c', pythonLoop(library), url, body, String(streams)]],
    read(out) {
      const { ttft, gap } = JSON.parse(out) as { ttft: number[]; gap: number[] }
      return said(ttft, gap)
    },
  }
}
