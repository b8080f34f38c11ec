import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

/** The peer that stands in front of nodes, `@portkey-ai/gateway`, started from the file of its argument on a free port, which it prints. */
const [file = ''] = process.argv.slice(2)
const asked = createServer().listen(0, '127.0.0.1')
await once(asked, 'listening')
const { port } = asked.address() as AddressInfo
asked.close()
await once(asked, 'close')
// It takes its port and its silence from the command line, and greets in any case.
process.argv.splice(2, Number.POSITIVE_INFINITY, `--port=${port}`, '--headless')
const { write } = process.stdout
process.stdout.write = () => true
await import(pathToFileURL(file).href)
while (!(await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined))) await sleep(50)
process.stdout.write = write
process.stdout.write(`${port}\n`)
