import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { type Client, clients } from './clients.ts'
import { decode } from './decode.ts'
import { examine } from './examine.ts'
import { Orders } from './orders.ts'
import { writeClient } from './results.ts'
import { openStand } from './stand.ts'

/**
 * `npm run clients -- [NAME…]`: installs client libraries into a cache folder, lets each meet the reference gateway in every
 * situation and read the streams of other servers, and writes what its user saw to `results/clients/`, from which `npm run docs`
 * makes a page.
 */
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => clients.every((client) => client.name !== name))
if (unknown.length > 0) {
  process.stderr.write(`There is no ${unknown.join(', ')}. Known: ${clients.map(({ name }) => name).join(', ')}.\n`)
  process.exit(2)
}

async function examineOne({ name, title, install }: Client): Promise<void> {
  const orders = new Orders(install(join(packageFolder, '.cache', 'clients', name)))
  const stand = await openStand()
  try {
    const cells = await examine(orders, stand)
    const streams = await decode(orders)
    writeClient({ name, title, date: new Date().toISOString().slice(0, 10), cells, streams })
    const red = Object.entries(cells).filter(([, { verdict }]) => verdict === 'red')
    const words = red.map(([id, { why }]) => `${id}: ${why}`).join('; ')
    const failed = streams.filter(({ verdict }) => verdict === 'red').length
    process.stdout.write(`${title}: ${words || 'nothing is red'}; ${failed} of ${streams.length} streams are\n`)
  } finally {
    await orders.end()
    await stand.close()
  }
}

for (const client of clients.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  try {
    await examineOne(client)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${client.name}: ${error instanceof Error ? error.message : error}\n`)
  }
}
