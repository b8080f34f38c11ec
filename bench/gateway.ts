import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import autocannon from 'autocannon'
import { startGateway } from '../reference-server/main.ts'

/** The reference gateway beside a bare server that answers with the same bytes: ratios of one run, median of the rounds. */
const rounds = 5
const connections = 16
const durationS = 2

const question = JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 16 })

async function main(): Promise<void> {
  const gateway = await startGateway({ demo: true })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${gateway.demo?.apiKey ?? ''}` }
  const url = `${gateway.baseUrl}/api/v1/chat/completions`
  const reply = await (await fetch(url, { method: 'POST', headers, body: question })).text()
  const floor = await listen(
    createServer((_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(reply)),
  )
  const ratios: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const bare = await requestsPerS(`http://127.0.0.1:${(floor.address() as AddressInfo).port}/`, headers)
    const ours = await requestsPerS(url, headers)
    ratios.push(ours / bare)
    console.log(
      `round ${round}: gateway ${ours.toFixed(0)} requests/s, bare server ${bare.toFixed(0)}, ratio ${(ours / bare).toFixed(2)}`,
    )
  }
  console.log(
    `median ratio ${ratios.sort((a, b) => a - b)[Math.floor(rounds / 2)]?.toFixed(2)} (JSON replies of 16 tokens, ${connections} connections, one process for all)`,
  )
  floor.close()
  await gateway.close()
}

async function requestsPerS(url: string, headers: Record<string, string>): Promise<number> {
  const result = await autocannon({ url, method: 'POST', headers, body: question, connections, duration: durationS })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx + result.errors} requests failed, so the round is not valid`)
  return result.requests.average
}

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

await main()
