import { Agent, request as ask, createServer } from 'node:http'
import { listen } from './listen.ts'

/** The least that a gateway can do: it copies the bytes of each request to the node of its argument, and those of the reply back. */
const [node = ''] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true })

await listen(
  createServer((request, response) => {
    const { method = 'GET', headers } = request
    const onward = ask(`${node}/v1/chat/completions`, { agent, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers)
      reply.pipe(response)
    })
    request.pipe(onward)
  }),
)
