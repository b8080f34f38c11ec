import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { fillBlocks, tableOf } from '../docs/blocks.ts'
import { readPage } from '../docs/pages.ts'
import { rows, type Spent, type Subject } from './alone.ts'
import type { Crowd } from './crowd.ts'
import type { Figure } from './figures.ts'
import type { Forwarded } from './forwarding.ts'

/** How a process of the bench stood before and after it was asked. */
export interface Footprint {
  readonly name: string
  readonly startMs: number
  readonly idleMb: number
  readonly afterMb: number
}

const titles: ReadonlyMap<string, string> = new Map([
  ['floor', 'bare `node:http`'],
  ['aimock', '`@copilotkit/aimock`'],
  ['memory', 'gateway, memory store'],
  ['sqlite', 'gateway, SQLite store'],
  ['copying', 'proxy that copies bytes'],
  ['gateway', 'gateway, memory store'],
  ['portkey', '`@portkey-ai/gateway`'],
])
const titleOf = ({ name }: { readonly name: string }): string => titles.get(name) ?? name

export interface Measured {
  readonly subjects: readonly Subject[]
  readonly spent: readonly Spent[]
  readonly forwarded: readonly Forwarded[]
  readonly crowds: readonly Crowd[]
  readonly footprints: readonly Footprint[]
}

/** Writes what one run of the bench measured into the page of speed. */
export function writePage({ subjects, spent, forwarded, crowds, footprints }: Measured): void {
  const parts = new Map([
    ['speed:alone', tableOf(['CPU of the server for a reply', ...subjects.map(titleOf)], aloneRows(subjects, spent))],
    [
      'speed:forwarding',
      tableOf(['', 'streams', 'first text later, p50', 'p99', 'CPU for an event'], forwardRows(forwarded)),
    ],
    [
      'speed:crowds',
      tableOf(['streams', 'event late, p50', 'p99', 'memory for a stream', 'CPU for an event'], crowds.map(crowdRow)),
    ],
    ['speed:footprint', tableOf(['', 'start', 'memory, idle', 'memory, after the run'], footprints.map(footprintRow))],
    ['speed:machine', machine()],
  ])
  writeFileSync(join(packageFolder, 'docs/speed.md'), fillBlocks(readPage('docs/speed.md'), parts))
}

function aloneRows(subjects: readonly Subject[], spent: readonly Spent[]): readonly (readonly string[])[] {
  return rows.map((row) => [
    row.title,
    ...subjects.map(({ name }) => {
      const one = spent.find((some) => some.row === row && some.subject === name)
      if (one === undefined) return ''
      const micros = `${one.cpuUs.median.toFixed(0)} µs`
      return name === 'floor' ? micros : `${micros}, ${spread(one.ratio, 2)} ×`
    }),
  ])
}

function forwardRows(forwarded: readonly Forwarded[]): readonly (readonly string[])[] {
  return forwarded.map(({ name, streams, addedP50Ms, addedP99Ms, cpuUs }) => [
    titleOf({ name }),
    String(streams),
    `${spread(addedP50Ms, 2)} ms`,
    `${spread(addedP99Ms, 2)} ms`,
    `${spread(cpuUs, 0)} µs`,
  ])
}

function crowdRow({ streams, failed, sample, lateP50Ms, lateP99Ms, kbPerStream, cpuUs }: Crowd): readonly string[] {
  if (failed > 0) return [String(streams), `void: ${failed} failed (${sample.trim().slice(-60)})`, '', '', '']
  return [
    String(streams),
    `${lateP50Ms.toFixed(1)} ms`,
    `${lateP99Ms.toFixed(1)} ms`,
    `${kbPerStream.toFixed(0)} kB`,
    `${cpuUs.toFixed(0)} µs`,
  ]
}

function footprintRow({ name, startMs, idleMb, afterMb }: Footprint): readonly string[] {
  return [titleOf({ name }), `${startMs.toFixed(0)} ms`, `${idleMb.toFixed(0)} MB`, `${afterMb.toFixed(0)} MB`]
}

/** The middle, and in brackets the range of the rounds. */
function spread({ median, least, most }: Figure, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

function machine(): string {
  const [cpu] = cpus()
  return `Measured ${new Date().toISOString().slice(0, 10)} on ${cpus().length} cores of ${cpu?.model ?? 'an unknown CPU'}, Node ${process.versions.node}.`
}
