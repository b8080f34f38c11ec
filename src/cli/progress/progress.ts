import type { SerializedResult } from '../../check/result.ts'
import type { VerdictKind } from '../../check/verdict.ts'
import { countOf } from '../../count.ts'
import type { CommandIo } from '../command.ts'
import { createLiveLine, type Screen } from './live-line.ts'

export interface Progress {
  show(result: SerializedResult): void
  end(): void
}

/** How often a run that nobody watches says that it is still under way, in milliseconds. */
const everyMs = 15_000

/** How much of a run is shown while it lasts: nothing, how far it has come and what failed, or every check as it ends. */
export interface ProgressOptions {
  readonly quiet: boolean
  readonly verbose: boolean
}

/**
 * How far a run has come: to a person a line that is rewritten, with the failures, or every check, above it as they end; to a log a
 * line now and then, or one for every check.
 */
export function createProgress(
  total: number,
  io: Pick<CommandIo, 'live' | 'err'>,
  { quiet, verbose }: ProgressOptions,
  screen: Screen = process.stderr,
): Progress {
  if (quiet) return { show: () => {}, end: () => {} }
  const startedAt = performance.now()
  const counts = { done: 0, failed: 0 }
  const state = (): State => ({ ...counts, total, elapsedMs: performance.now() - startedAt })
  const count = ({ verdict }: SerializedResult): void => {
    counts.done += 1
    if (verdict.kind === 'fail') counts.failed += 1
  }
  if (!io.live && verbose) return { show: (result) => io.err(checkLine(result)), end: () => {} }
  if (!io.live) {
    const timer = setInterval(() => io.err(logLine(state())), everyMs).unref()
    return { show: count, end: () => clearInterval(timer) }
  }
  const line = createLiveLine(screen)
  return {
    show(result) {
      count(result)
      if (verbose) line.keep(checkLine(result))
      else if (result.verdict.kind === 'fail') line.keep(`✗ ${result.id}`)
      line.show(liveText(state(), result.id))
    },
    end: line.end,
  }
}

interface State {
  readonly done: number
  readonly total: number
  readonly failed: number
  readonly elapsedMs: number
}

const barWidth = 20

/** A bar, counts, times and what was decided last. */
export function liveText({ done, total, failed, elapsedMs }: State, last: string): string {
  const full = Math.floor((barWidth * done) / total)
  const left = done === 0 ? [] : [`about ${seconds((elapsedMs * (total - done)) / done)} left`]
  const parts = [`${done}/${total}`, ...failures(failed), seconds(elapsedMs), ...left, last]
  return `${'█'.repeat(full)}${'░'.repeat(barWidth - full)} ${parts.join(' · ')}`
}

export function logLine({ done, total, failed, elapsedMs }: State): string {
  return [`${done} of ${countOf(total, 'check')}`, ...failures(failed), seconds(elapsedMs)].join(', ')
}

const signs: Readonly<Partial<Record<VerdictKind, string>>> = { pass: '✓', fail: '✗', error: '✗', observed: '◦' }

/** One check that has ended: what came of it, and how long it took if it was asked. */
function checkLine({ id, verdict, durationMs }: SerializedResult): string {
  const sign = signs[verdict.kind]
  const took = durationMs < 1000 ? `${durationMs} ms` : `${(durationMs / 1000).toFixed(1)} s`
  const parts = [id, verdict.kind, ...(sign === undefined && durationMs === 0 ? [] : [took])]
  return `${sign ?? '–'} ${parts.join(' · ')}`
}

function failures(count: number): readonly string[] {
  return count === 0 ? [] : [`${count} failed`]
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
