import { commandName } from '../../command-name.ts'
import { version } from '../../fixtures.ts'
import { HarnessError } from '../../harness-error.ts'
import { passwordOf, readRedisUrl } from '../../load/fleet/fleet.ts'
import { joinFleet } from '../../load/fleet/worker.ts'
import { helpOf, parseOptions } from '../../options/parse.ts'
import { shared } from '../../options/shared.ts'
import { readHeader } from '../../options/target.ts'
import { createRedactor } from '../../wire/redact.ts'
import type { Command } from '../command.ts'
import { printHelp } from '../print-help.ts'

const options = {
  'api-key': shared['api-key'],
  header: shared.header,
  help: shared.help,
} as const

const name = `${commandName('load')} join`

/** `load join`: makes this machine one of a fleet. */
export const loadJoin: Command = {
  help: `${name} redis://HOST:PORT [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(loadJoin, io)
      return 0
    }
    const [address, ...rest] = positionals
    if (address === undefined || rest.length > 0)
      throw new HarnessError('usage', `${name} needs one address: the Redis where the fleet meets.`)
    const url = readRedisUrl(name, address)
    const redactor = createRedactor(
      [values['api-key'], passwordOf(url)].flatMap((value) => (value === undefined ? [] : [{ value }])),
    )
    const fleet = await joinFleet({
      url,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': `inference-assay/${version}`,
        ...(values['api-key'] !== undefined && { Authorization: `Bearer ${values['api-key']}` }),
        ...Object.fromEntries((values.header ?? []).map(readHeader)),
      },
      onNotice: (notice) => io.err(redactor.text(notice)),
    })
    await new Promise<void>((stop) => {
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
    })
    await fleet.close()
    return 0
  },
}
