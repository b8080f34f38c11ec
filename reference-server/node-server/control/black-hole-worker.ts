import { createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** Listens, says so, and blocks: the kernel completes connections until the backlog is full, and nobody takes them. */
const { host, port, gate } = workerData
const server = createServer()
server.on('error', (error) => parentPort?.postMessage({ problem: error.message }))
server.listen({ host, port, backlog: 1 }, () => {
  parentPort?.postMessage({ listening: true })
  Atomics.wait(gate, 0, 0)
})
