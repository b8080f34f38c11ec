import { resolve } from 'node:path'
import { loadModels } from '../../../reference-server/gateway/models.ts'
import type { Wrap } from '../../../reference-server/gateway/seams.ts'
import { type GatewayOptions, type RunningGateway, startGateway } from '../../../reference-server/main.ts'
import type { HttpNodeOptions } from '../../../reference-server/network/http/http-node.ts'
import { commandName } from '../../command-name.ts'
import { countOf } from '../../count.ts'
import { HarnessError } from '../../harness-error.ts'
import { readRedisUrl } from '../../load/fleet/fleet.ts'
import { readAddress } from '../../options/address.ts'
import { helpOf, parseOptions } from '../../options/parse.ts'
import { refusePositionals } from '../../options/refuse-positionals.ts'
import { shared } from '../../options/shared.ts'
import { cannotStart } from '../cannot-start.ts'
import type { Command, CommandIo } from '../command.ts'
import { printHelp } from '../print-help.ts'
import { onSignals } from '../signals.ts'
import { announceGateway } from './announce.ts'

const options = {
  listen: { kind: 'text', value: 'HOST:PORT', about: 'where to listen (127.0.0.1:8080; port 0 takes a free one)' },
  control: { kind: 'text', value: 'HOST:PORT', about: 'where to serve the control API (off)' },
  'control-token': {
    kind: 'text',
    isKey: true,
    value: 'T',
    about: 'its token (random, printed); better set ASSAY_CONTROL_TOKEN',
  },
  dashboard: {
    kind: 'text',
    value: 'HOST:PORT|same|off',
    about: 'where to serve the dashboard (same: /dashboard/ beside the API)',
  },
  metrics: { kind: 'text', value: 'HOST:PORT', about: 'where to serve /health, /ready and /metrics (off)' },
  'request-log': {
    kind: 'number',
    value: 'DAYS',
    min: 0,
    whole: true,
    about: 'how long the dashboard shows each request, never what was said (7; 0 keeps none)',
  },
  log: { kind: 'flag', about: 'a JSON line for every request, on standard error' },
  store: {
    kind: 'text',
    value: 'STORE',
    about: 'memory, sqlite:FILE or postgres://… (sqlite:assay-data/gateway.sqlite)',
  },
  node: {
    kind: 'list',
    value: 'URL=MODEL[,MODEL]',
    about: 'a chat-completions server (repeatable; simulated nodes if none is given)',
  },
  redis: { kind: 'text', value: 'URL', about: 'shares key limits between replicas (limits of this process only)' },
  models: { kind: 'text', value: 'FILE', about: 'models, windows and prices as JSON (small, medium, large)' },
  service: { kind: 'text', value: 'NAME', about: 'the short name in the prefix of keys (assay)' },
  seed: { kind: 'number', value: 'N', min: 0, whole: true, about: 'seed of the texts and the demo keys (1)' },
  pace: {
    kind: 'choice',
    of: ['instant', 'profile'],
    about: 'how fast the nodes reply (instant; with --demo, profile)',
  },
  fault: {
    kind: 'list',
    value: 'ID',
    names: 'faults',
    about: 'be broken or odd in this way (repeatable; see the command faults)',
  },
  demo: { kind: 'flag', about: 'an account with credit, a person, special keys and a model without a node' },
  drain: {
    kind: 'number',
    value: 'S',
    min: 0,
    whole: false,
    about: 'how long requests may take to end after Ctrl-C or SIGTERM (30)',
  },
  'drain-notice': {
    kind: 'number',
    value: 'S',
    min: 0,
    whole: false,
    about: 'how long new requests are served on before that, while /ready is a 503 (0)',
  },
  heartbeat: {
    kind: 'number',
    value: 'S',
    min: 0,
    whole: false,
    about: 'how often a stream whose first token is late gets a comment (15; 0 for never)',
  },
  'refusals-per-minute': {
    kind: 'number',
    value: 'N',
    min: 0,
    whole: true,
    about: 'how often a key or an address may be refused before it has to wait (1200; 0 for any number)',
  },
  json: { kind: 'flag', about: 'the first line of standard output is one JSON object' },
  help: shared.help,
} as const

/** `assay gateway`: the reference gateway as a server of its own. */
export const gateway: Command = {
  help: `${commandName('gateway')} [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values, positionals } = parseOptions(options, args, io.env)
    refusePositionals(positionals)
    if (values.help === true) {
      printHelp(gateway, io)
      return 0
    }
    const { host, port } = readAddress('--listen', values.listen ?? '127.0.0.1:8080')
    const { control, 'control-token': token, redis } = values
    const running = await startGateway({
      host,
      port,
      ...dashboardOf(values.dashboard ?? 'same', io.env),
      ...(values.metrics !== undefined && { metrics: readAddress('--metrics', values.metrics) }),
      ...(values['request-log'] !== undefined && { requestLogDays: values['request-log'] }),
      ...(values.log === true && { onRequest: (request: object) => io.err(logLine(request)) }),
      onTrouble: (trouble) => io.err(logLine({ trouble: trouble ?? null })),
      store: storeOf(values.store, io.folder),
      demo: values.demo ?? false,
      pace: values.pace ?? (values.demo === true ? 'profile' : 'instant'),
      wraps: await wrapsOf(values.fault ?? []),
      ...(control !== undefined && {
        control: { ...readAddress('--control', control), ...(token !== undefined && { token }) },
      }),
      ...(redis !== undefined && { redis: readRedisUrl('--redis', redis) }),
      ...(values.node !== undefined && { nodes: values.node.map(readNode) }),
      ...(values.heartbeat !== undefined && { heartbeatMs: values.heartbeat * 1000 }),
      ...refusalsOf(values['refusals-per-minute']),
      ...(values.seed === undefined ? {} : { seed: values.seed }),
      ...(values.service === undefined ? {} : { service: values.service }),
      ...(values.models === undefined ? {} : { models: await readModels(resolve(io.folder, values.models)) }),
    }).catch((error: unknown) => {
      throw cannotStart('The gateway', error)
    })
    const isPasswordGiven = (io.env['ASSAY_OPERATOR_PASSWORD'] ?? '') !== ''
    announceGateway(running, { isJson: values.json === true, isTokenGiven: token !== undefined, isPasswordGiven }, io)
    await drained(running, { withinS: values.drain ?? 30, noticeS: values['drain-notice'] ?? 0 }, io)
    await running.close()
    return 0
  },
}

interface Ending {
  readonly withinS: number
  readonly noticeS: number
}

/** Resolves after the first signal, once no request is under way or the time is up; at once after the next signal. */
async function drained(running: RunningGateway, { withinS, noticeS }: Ending, io: CommandIo): Promise<void> {
  const cut = new AbortController()
  await new Promise<void>((stop) => onSignals(stop, () => cut.abort()))
  const { underWay } = running
  io.err(
    underWay === 0
      ? 'Stopping: no request is under way.'
      : `Stopping: waiting at most ${withinS} s for ${countOf(underWay, 'request')} under way; new ones get a 503 (Ctrl-C again cuts off what is left).`,
  )
  await running.drain(withinS * 1000, cut.signal, noticeS * 1000)
  if (running.underWay > 0) io.err(`${countOf(running.underWay, 'request')} cut off.`)
}

function refusalsOf(refusalsPerMinute: number | undefined): Pick<GatewayOptions, 'refusalsPerMinute'> {
  return refusalsPerMinute === undefined ? {} : { refusalsPerMinute }
}

function logLine(request: object): string {
  return JSON.stringify({ at: new Date().toISOString(), ...request })
}

/** The operator's password comes only from the environment, to stay out of process lists. */
function dashboardOf(where: string, env: CommandIo['env']): Pick<GatewayOptions, 'dashboard'> {
  if (where === 'off') return {}
  const operatorPassword = env['ASSAY_OPERATOR_PASSWORD'] ?? ''
  return {
    dashboard: {
      ...(where === 'same' ? {} : readAddress('--dashboard', where)),
      ...(operatorPassword !== '' && { operatorPassword }),
    },
  }
}

/** The id is the position: ids are shown, and an address would reveal too much. */
function readNode(text: string, at: number): HttpNodeOptions {
  const [, url = '', models = ''] = /^(.*?)=([^=]+)$/.exec(text) ?? []
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new HarnessError('usage', `--node must look like http://HOST:PORT=MODEL[,MODEL], got "${text}".`)
  return { id: `node-${at + 1}`, url, models: models.split(',') }
}

/** Where the books are kept, relative to the folder that npm was called from. */
function storeOf(store: string | undefined, folder: string): string {
  const location = store ?? 'sqlite:assay-data/gateway.sqlite'
  return location.startsWith('sqlite:') ? `sqlite:${resolve(folder, location.slice('sqlite:'.length))}` : location
}

/** The catalogue is loaded only where it is used: it takes as much memory as the gateway's own code. */
async function wrapsOf(names: readonly string[]): Promise<readonly Wrap[]> {
  if (names.length === 0) return []
  const { askedWraps } = await import('../../../detection/asked-wraps.ts')
  return askedWraps(names, '--fault')
}

async function readModels(file: string): ReturnType<typeof loadModels> {
  try {
    return await loadModels(file)
  } catch (error) {
    throw new HarnessError('usage', `--models: ${error instanceof Error ? error.message : error}`)
  }
}
