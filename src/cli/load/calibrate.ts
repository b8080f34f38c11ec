import { availableParallelism } from 'node:os'
import { commandName } from '../../command-name.ts'
import { countOf } from '../../count.ts'
import { HarnessError } from '../../harness-error.ts'
import { calibrate } from '../../load/calibrate.ts'
import { helpOf, parseOptions } from '../../options/parse.ts'
import { shared } from '../../options/shared.ts'
import type { Command } from '../command.ts'
import { printHelp } from '../print-help.ts'

const options = {
  streams: { kind: 'text', value: 'LIST', about: 'streams at once, one row each (1,100,500)' },
  seconds: { kind: 'number', value: 'S', min: 1, whole: false, about: 'duration of each row (5)' },
  shards: { kind: 'number', value: 'N', min: 1, whole: true, about: 'threads (one per core, less one)' },
  json: { kind: 'flag', about: 'print one JSON object' },
  help: shared.help,
} as const

/** `assay load calibrate`: this machine's error in first-token and inter-token times. */
export const loadCalibrate: Command = {
  help: `${commandName('load')} calibrate [options]\n\n${helpOf(options)}`,
  options,
  async run(args, io) {
    const { values } = parseOptions(options, args, io.env)
    if (values.help === true) {
      printHelp(loadCalibrate, io)
      return 0
    }
    const counts = (values.streams ?? '1,100,500').split(',').map(Number)
    if (!counts.every((count) => Number.isInteger(count) && count > 0))
      throw new HarnessError('usage', `--streams must be whole numbers like 1,100,500, got "${values.streams}".`)
    const shards = values.shards ?? Math.max(1, availableParallelism() - 1)
    const rows = []
    for (const count of counts) {
      const { streams, eventsPerS, result } = await calibrate(count, values.seconds ?? 5, shards)
      rows.push({
        streams,
        eventsPerS,
        lagMs: result.stampLag,
        gapErrorMs: result.stampGapError,
        validity: result.validity,
      })
    }
    if (values.json === true) {
      io.out(JSON.stringify({ schema: 'inference-assay/calibration/1', shards, rows }))
      return 0
    }
    io.out('Error of this machine, in ms: when an event was read, against when it was written.\n')
    io.out(row(['streams', 'events/s', 'lag p50', 'p95', 'p99', 'gap error p50', 'p95', 'p99']))
    for (const { streams, eventsPerS, lagMs, gapErrorMs } of rows) {
      const cells = [lagMs, gapErrorMs].flatMap((stats) =>
        [stats?.p50, stats?.p95, stats?.p99].map((value) => value?.toFixed(3) ?? '–'),
      )
      io.out(row([String(streams), eventsPerS.toFixed(0), ...cells]))
    }
    const good = rows.filter(({ validity }) => validity.verdict === 'valid').map(({ streams }) => streams)
    io.out(
      good.length === 0
        ? '\nNone of these loads was measured validly: this machine is too busy, or too small.'
        : `\nGood for at least ${countOf(Math.max(...good), 'stream')} at once.`,
    )
    io.out('The server shares the machine and sends on all streams at once: an upper bound.')
    return 0
  },
}

const widths = [9, 10, 9, 9, 9, 15, 9, 9]

function row(cells: readonly string[]): string {
  return cells.map((cell, at) => cell.padStart(widths[at] ?? 0)).join('')
}
