import type { Progress } from '../../load/figures/progress.ts'
import type { CommandIo } from '../command.ts'
import { createLiveLine } from '../progress/live-line.ts'

/** One line that is rewritten while a person watches a load of so long; nothing when nobody does. */
export function createLoadLine(
  io: CommandIo,
  quiet: boolean,
  durationMs?: number,
): { show(shards: readonly Progress[]): void; end(): void } {
  if (quiet || !io.live) return { show: () => {}, end: () => {} }
  const startedAt = performance.now()
  const line = createLiveLine(process.stderr)
  return {
    show: (shards) => line.show(loadText(shards, performance.now() - startedAt, durationMs)),
    end: line.end,
  }
}

/** What was sent and how fast it is answered, the most important first: a narrow terminal cuts the rest. */
export function loadText(shards: readonly Progress[], elapsedMs: number, durationMs?: number): string {
  const sum = (pick: (one: Progress) => number): number => shards.reduce((all, one) => all + pick(one), 0)
  const largest = (pick: (one: Progress) => number): string =>
    inMs(Math.max(...shards.map(pick).filter((ms) => ms > 0)))
  return [
    `${Math.round(elapsedMs / 1000)} s${durationMs === undefined ? '' : ` of ${durationMs / 1000} s`}`,
    `${sum(({ sent }) => sent)} sent`,
    `${sum(({ bad }) => bad)} bad`,
    `ttft p95 ${largest(({ ttftP95 }) => ttftP95)}`,
    `gap p99 ${largest(({ gapP99 }) => gapP99)}`,
    `${sum(({ inFlight }) => inFlight)} in flight`,
    `lag p99 ${largest(({ lag }) => lag.p99)}`,
  ].join(' · ')
}

/** A dash while nothing was measured. */
function inMs(ms: number): string {
  return Number.isFinite(ms) ? `${ms.toFixed(1)} ms` : '–'
}
