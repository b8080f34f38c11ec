import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { startNode } from '../../reference-server/node-server/node-server.ts'
import { readTiming } from '../../reference-server/node-server/script/read-timing.ts'
import { type Timing, timingProfiles } from '../../reference-server/node-server/script/timing-profiles.ts'
import { commandName } from '../command-name.ts'
import { HarnessError } from '../harness-error.ts'
import { readAddress } from '../options/address.ts'
import { nodeDialects } from '../options/node-dialects.ts'
import { helpOf, parseOptions } from '../options/parse.ts'
import { refusePositionals } from '../options/refuse-positionals.ts'
import { shared } from '../options/shared.ts'
import { cannotStart } from './cannot-start.ts'
import type { Command } from './command.ts'
import { printHelp } from './print-help.ts'

const profiles = Object.keys(timingProfiles).join(', ')

const options = {
  listen: { kind: 'text', value: 'HOST:PORT', about: 'where to listen (127.0.0.1:9101; port 0 takes a free one)' },
  control: { kind: 'text', value: 'HOST:PORT', about: 'where to serve the control API, without a token (off)' },
  model: { kind: 'list', value: 'ID', about: 'a model that the node serves (repeatable; small)' },
  timing: { kind: 'text', value: 'PROFILE|FILE', about: `${profiles}, or a timing model as JSON (instant)` },
  'node-key': { kind: 'text', isKey: true, value: 'KEY', about: 'the key that every request must carry (none)' },
  'node-dialect': {
    kind: 'choice',
    of: nodeDialects,
    about: 'the engine whose chunks, usage, errors and ids it has (none in particular)',
  },
  seed: { kind: 'number', value: 'N', min: 0, whole: true, about: 'seed of the texts and the times (1)' },
  json: { kind: 'flag', about: 'the first line of standard output is one JSON object' },
  help: shared.help,
} as const

/** `assay node`: an operator node to put behind a gateway. */
export const node: Command = {
  help: `${commandName('node')} [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    refusePositionals(positionals)
    if (values.help === true) {
      printHelp(node, io)
      return 0
    }
    const listen = readAddress('--listen', values.listen ?? '127.0.0.1:9101')
    const control = values.control === undefined ? undefined : readAddress('--control', values.control)
    const running = await startNode({
      ...listen,
      models: values.model ?? ['small'],
      ...(control !== undefined && { control }),
      ...(values.timing !== undefined && { timing: await timingOf(values.timing, io.folder) }),
      ...(values['node-key'] !== undefined && { nodeKey: values['node-key'] }),
      ...(values['node-dialect'] !== undefined && { dialect: values['node-dialect'] }),
      ...(values.seed !== undefined && { seed: values.seed }),
    }).catch((error: unknown) => {
      throw cannotStart('The node', error)
    })
    const { url, controlUrl } = running
    if (values.json === true) io.out(JSON.stringify({ url, controlUrl }))
    else {
      io.out(`The operator node listens at ${url}`)
      io.out(
        controlUrl === undefined ? 'It has no control API: start it with --control.' : `  controlUrl: ${controlUrl}`,
      )
    }
    await new Promise<void>((stop) => {
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
    })
    await running.close()
    return 0
  },
}

/** A profile wins over a file of the same name. */
async function timingOf(text: string, folder: string): Promise<Timing> {
  try {
    return readTiming(text in timingProfiles ? text : JSON.parse(await readFile(resolve(folder, text), 'utf8')))
  } catch (error) {
    const reason = error instanceof Error ? error.message : error
    throw new HarnessError('usage', `--timing is one of ${profiles}, or a file: ${reason}`)
  }
}
