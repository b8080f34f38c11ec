import { resolve } from 'node:path'
import { faults, variants } from '../../reference-server/faults/index.ts'
import { loadModels } from '../../reference-server/gateway/models.ts'
import { startGateway } from '../../reference-server/main.ts'
import { HarnessError } from '../harness-error.ts'
import { readAddress } from './address.ts'
import type { Command } from './command.ts'
import { helpOf, parseOptions } from './options.ts'

const options = {
  listen: { kind: 'text', value: 'HOST:PORT', about: 'where to listen (127.0.0.1:8080; port 0 takes a free one)' },
  models: { kind: 'text', value: 'FILE', about: 'models, windows and prices as JSON (small, medium, large)' },
  service: { kind: 'text', value: 'NAME', about: 'the short name in the prefix of keys (assay)' },
  seed: { kind: 'number', value: 'N', min: 0, whole: true, about: 'of the texts and the demo keys (1)' },
  pace: { kind: 'choice', of: ['instant', 'profile'], about: 'how fast the nodes speak (instant)' },
  fault: {
    kind: 'list',
    value: 'ID',
    about: 'be wrong, or odd, in this way (repeatable; see reference-server/faults)',
  },
  demo: { kind: 'flag', about: 'make an account with credit, special keys and a model without a node' },
  json: { kind: 'flag', about: 'the first line of standard output is one JSON object' },
  help: { kind: 'flag', about: 'print this' },
} as const

/** `assay gateway`: the reference gateway as a server of its own. */
export const gateway: Command = {
  summary: 'run the reference gateway',
  help: `assay gateway [options]\n\n${helpOf(options)}`,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    if (positionals.length > 0) throw new HarnessError('usage', `"${positionals[0]}" is no option.`)
    if (values.help === true) {
      io.out(gateway.help)
      return 0
    }
    const { host, port } = readAddress('--listen', values.listen ?? '127.0.0.1:8080')
    const running = await startGateway({
      host,
      port,
      demo: values.demo ?? false,
      pace: values.pace === 'profile' ? 'profile' : 'instant',
      wraps: (values.fault ?? []).map(wrapOf),
      ...(values.seed === undefined ? {} : { seed: values.seed }),
      ...(values.service === undefined ? {} : { service: values.service }),
      ...(values.models === undefined ? {} : { models: await readModels(resolve(io.folder, values.models)) }),
    }).catch((error: unknown) => {
      throw new HarnessError(
        'usage',
        `--listen ${host}:${port} can not be listened on: ${error instanceof Error ? error.message : error}.`,
      )
    })
    if (values.json === true) io.out(JSON.stringify({ baseUrl: running.baseUrl, ...running.demo }))
    else {
      io.out(`The reference gateway listens at ${running.baseUrl}`)
      for (const [name, value] of Object.entries(running.demo ?? {})) io.out(`  ${name}: ${value}`)
      if (running.demo === undefined) io.out('No key exists: start it with --demo for an account with keys.')
    }
    await new Promise<void>((stop) => {
      process.once('SIGINT', stop)
      process.once('SIGTERM', stop)
    })
    await running.close()
    return 0
  },
}

function wrapOf(id: string): ReturnType<(typeof faults)[string]['wrap']> {
  const entry = faults[id] ?? variants[id]
  if (entry === undefined)
    throw new HarnessError('usage', `--fault ${id}: there is no fault and no variant of this name.`)
  return entry.wrap()
}

async function readModels(file: string): ReturnType<typeof loadModels> {
  try {
    return await loadModels(file)
  } catch (error) {
    throw new HarnessError('usage', `--models: ${error instanceof Error ? error.message : error}`)
  }
}
