import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { requestOf } from '../../../bench/reliability/hostile-clients/input.ts'
import { openLine } from '../../../bench/reliability/hostile-clients/line.ts'

let server: Server
afterEach(() => server.close())

const request = { bytes: requestOf('GET', '/', {}), isRequest: true }
const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** A line to a server that does this with the first and with every later request of a connection. */
async function lineTo(first: (socket: Socket) => void, later: (socket: Socket) => void) {
  server = createServer((socket) => {
    socket.once('data', () => {
      first(socket)
      socket.on('data', () => later(socket))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return openLine(address.port)
}

const answers = (socket: Socket): void => void socket.write(answer)
const ends = (socket: Socket): void => void socket.destroy()

test('a request that meets the end of an idle connection is sent again on a new one', async () => {
  const line = await lineTo(answers, ends)
  for (let turn = 0; turn < 3; turn += 1) expect(await line.send(request)).toMatchObject({ ending: 'answered' })
  line.close()
})

test('a request that a new connection does not answer is not answered', async () => {
  const line = await lineTo(ends, ends)
  expect(await line.send(request)).toEqual({ ending: 'closed', replies: [] })
})
