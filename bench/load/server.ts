import { createServer } from 'node:net'
import { startStampedServer } from '../../src/load/stamped-server.ts'

/** The server of the load benchmark, in its own process: `paced STREAM_EVENTS` or `flood`. It prints its address. */
const [mode = 'paced', events = '250'] = process.argv.slice(2)

const floodEvents = 1000

async function main(): Promise<void> {
  if (mode === 'paced') {
    const server = await startStampedServer({ firstMs: 200, everyMs: 20, events: Number(events) })
    process.stdout.write(`${server.url}\n`)
    return
  }
  // The whole reply is made once, because only the client's reading is measured.
  const data =
    'data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1700000000,"model":"small-2026","choices":[{"index":0,"delta":{"content":" word of it"},"finish_reason":null}]}\n\n'
  const chunk = `${data.length.toString(16)}\r\n${data}\r\n`
  const reply = Buffer.from(
    `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(floodEvents)}e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n`,
  )
  const server = createServer((socket) => {
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    let received = 0
    let needed = 0
    socket.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      if (needed === 0) {
        const headEnd = text.indexOf('\r\n\r\n')
        needed = headEnd + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0)
      }
      received += bytes.length
      if (received < needed) return
      received = 0
      needed = 0
      socket.write(reply)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const address = server.address()
    if (typeof address === 'object') process.stdout.write(`http://127.0.0.1:${address?.port}/api/v1/chat/completions\n`)
  })
}

await main()
