import type { SerializedResult } from '../../check/result.ts'
import { countOf } from '../../count.ts'
import type { CommandIo } from '../command.ts'
import { createLiveLine } from './live-line.ts'

export interface Progress {
  show(result: SerializedResult): void
  end(): void
}

/** How often a run that nobody watches says that it is still under way, in milliseconds. */
const everyMs = 15_000

/**
 * How far a run has come: to a person a line that is rewritten, with the failures above it as they are found; to a log a line now
 * and then.
 */
export function createProgress(total: number, io: CommandIo, quiet: boolean): Progress {
  if (quiet) return { show: () => {}, end: () => {} }
  const startedAt = performance.now()
  const counts = { done: 0, failed: 0 }
  const state = (): State => ({ ...counts, total, elapsedMs: performance.now() - startedAt })
  const count = ({ verdict }: SerializedResult): void => {
    counts.done += 1
    if (verdict.kind === 'fail') counts.failed += 1
  }
  if (!io.live) {
    const timer = setInterval(() => io.err(logLine(state())), everyMs).unref()
    return { show: count, end: () => clearInterval(timer) }
  }
  const line = createLiveLine(process.stderr)
  return {
    show(result) {
      count(result)
      if (result.verdict.kind === 'fail') line.keep(`✗ ${result.id}`)
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

function failures(count: number): readonly string[] {
  return count === 0 ? [] : [`${count} failed`]
}

function seconds(ms: number): string {
  return `${Math.round(ms / 1000)} s`
}
