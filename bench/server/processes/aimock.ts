import { LLMock } from '@copilotkit/aimock'
import { quickly, slowly } from '../requests.ts'

/** The peer that stands alone, `@copilotkit/aimock`: it says the text of its first argument, in pieces of its second's length. */
const [content = '', chunkSize] = process.argv.slice(2)

const mock = new LLMock({ port: 0, logLevel: 'silent', chunkSize: Number(chunkSize) })
mock.onMessage(quickly, { content })
// A millisecond is its shortest wait that leaves the turn of the event loop.
mock.onMessage(slowly, { content }, { latency: 1 })
process.stdout.write(`${new URL(await mock.start()).port}\n`)
