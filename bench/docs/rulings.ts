import { classes, type RuledServer, type Ruling, readRulings } from '../rulings/rulings.ts'
import { readTape } from '../rulings/tape.ts'
import { tableOf } from './blocks.ts'

/** Every ruling, server by server, below a table that counts them. */
export function rulingsInMarkdown(): string {
  const servers = readRulings()
  const counts = (rulings: readonly Ruling[]): readonly string[] =>
    classes.map((wanted) => String(rulings.filter((one) => one.class === wanted).length))
  return [
    tableOf(
      ['server', 'judged', ...classes],
      [
        ...servers.map(({ server, judged, rulings }) => [
          `[${server}](#${anchorOf(server)})`,
          judged,
          ...counts(rulings),
        ]),
        ['all', '', ...counts(servers.flatMap(({ rulings }) => rulings))],
      ],
    ),
    ...servers.flatMap((server) => [
      `### ${server.server}`,
      `\`npm run matrix -- ${server.column.replace('/', '@')}\``,
      rulingsOf(server),
    ]),
  ].join('\n\n')
}

function rulingsOf({ name, rulings }: RuledServer): string {
  const taped = new Set<string>(readTape(name)?.verdicts.map(({ check }) => check))
  return tableOf(
    ['check', 'class', 'exchange', 'on tape'],
    rulings.map((one) => [
      `\`${one.check}\``,
      classInWords(one),
      one.exchange.replaceAll('<', '&lt;'),
      taped.has(one.check) ? 'yes' : '',
    ]),
  )
}

function classInWords(ruling: Ruling): string {
  if (ruling.class === 'true') return 'true'
  if (ruling.class === 'echo') return `echo of \`${ruling.of}\``
  return 'variant' in ruling ? `${ruling.class}: now \`${ruling.variant}\`` : `${ruling.class}, by Assay's own nodes`
}

/** As GitHub makes them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
}
