import { tableOf } from '../docs/blocks.ts'
import type { Seen } from './protocol.ts'
import { type Cell, type ExaminedClient, readClients } from './results.ts'
import { readClientRulings } from './rulings.ts'
import { situations } from './situations.ts'

/** The parts of the page about clients, by their names. */
export function clientsInMarkdown(): ReadonlyMap<string, string> {
  const clients = readClients()
  return new Map([
    ['clients', matrix(clients)],
    ['client-situations', situations.map(({ id, about }) => `- **${id}**: ${about}.`).join('\n')],
    ['client-limits', limits(clients)],
    ['client-errors', errors(clients)],
    ['client-streams', streamMatrix(clients)],
    ['client-stream-rulings', streamRulings(clients)],
  ])
}

const signs = { green: '✓', red: '**✗**', cannot: '–' } as const

function matrix(clients: readonly ExaminedClient[]): string {
  const ids = situations.map(({ id }) => id)
  return tableOf(
    ['client', 'on', ...ids],
    clients.map(({ title, date, cells }) => [title, date, ...ids.map((id) => signs[cells[id]?.verdict ?? 'cannot'])]),
  )
}

function limits(clients: readonly ExaminedClient[]): string {
  return tableOf(
    ['client', 'situation', 'seen', 'requests', 'why it is its own limit'],
    readClientRulings().limits.map(({ client: name, situation, limit }) => {
      const client = clients.find((one) => one.name === name)
      const cell = client?.cells[situation]
      return [client?.title ?? name, situation, inCell(cell?.why), requestsIn(cell), limit]
    }),
  )
}

/** What a user of each library sees where the gateway refuses or breaks off. */
function errors(clients: readonly ExaminedClient[]): string {
  const refused = ['wrong-key', 'limit', 'unavailable', 'late-error']
  return refused
    .map((id) => {
      const rows = clients.map(({ title, cells }) => [
        title,
        inCell(cells[id]?.error ?? (cells[id]?.verdict === 'green' ? 'the reply' : '')),
        requestsIn(cells[id]),
      ])
      return [`### ${id}`, tableOf(['client', 'what its user gets', 'requests'], rows)].join('\n\n')
    })
    .join('\n\n')
}

/** Clients × servers: how many of a server's streams are read as they should be. */
function streamMatrix(clients: readonly ExaminedClient[]): string {
  const servers = [...new Set(clients.flatMap(({ streams }) => streams.map(({ server }) => server)))]
  return tableOf(
    ['client', ...servers],
    clients.map(({ title, streams }) => [
      title,
      ...servers.map((server) => {
        const own = streams.filter((stream) => stream.server === server)
        const red = own.filter(({ verdict }) => verdict === 'red').length
        return red === 0 ? `✓ ${own.length}` : `**✗ ${red}** of ${own.length}`
      }),
    ]),
  )
}

/** What is red there, each with the clients that it is red for. */
function streamRulings(clients: readonly ExaminedClient[]): string {
  const rows = readClientRulings().streams.flatMap(({ server, ending, fault, reason }) => {
    const red = clients.flatMap(({ name, streams }) =>
      streams.flatMap((one) =>
        one.server === server && one.ending === ending && one.verdict === 'red' ? [{ name, ...one }] : [],
      ),
    )
    const places = Map.groupBy(red, ({ event, field = '' }) => [`event ${event}`, field].filter(Boolean).join(', '))
    return [...places].map(([place, some]) => [
      `${server}: ${ending}`,
      place,
      some.map(({ name }) => name).join(', '),
      inCell(some[0]?.why),
      `the ${fault}: ${reason}`,
    ])
  })
  return tableOf(['stream', 'where', 'red for', 'what the first of their users gets', 'whose fault'], rows)
}

/** `429 at 0 s, 200 at 3.0 s`. */
function requestsIn(cell: Cell | undefined): string {
  if (cell === undefined) return ''
  const shown = cell.requests.map(({ status, atMs, left }: Seen) => {
    const at = `${status} at ${(atMs / 1000).toFixed(1)} s`
    return left ? `${at}, left` : at
  })
  const more = cell.asked - cell.requests.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join('; ')
}

/** Text that cannot break a table, nor begin a tag or a link. */
const inCell = (text = ''): string => text.replaceAll('<', '&lt;').replaceAll('[', '\\[')
