import type { Progress } from '../../load/figures/progress.ts'
import type { CommandIo } from '../command.ts'

/** One line that is rewritten while a person watches a load; nothing when nobody does. */
export function createLoadLine(
  io: CommandIo,
  quiet: boolean,
): { show(shards: readonly Progress[]): void; end(): void } {
  const watched = io.live && !quiet
  return {
    show(shards) {
      if (!watched) return
      const sum = (pick: (one: Progress) => number): number => shards.reduce((all, one) => all + pick(one), 0)
      const largest = (pick: (one: Progress) => number): string => {
        const value = Math.max(...shards.map(pick).map((one) => (Number.isNaN(one) ? 0 : one)))
        return value.toFixed(1)
      }
      process.stderr.write(
        `\r\u001b[2Ksent ${sum(({ sent }) => sent)}, ok ${sum(({ ok }) => ok)}, bad ${sum(({ bad }) => bad)}, in flight ${sum(({ inFlight }) => inFlight)}, ttft p95 ${largest(({ ttftP95 }) => ttftP95)} ms, gap p99 ${largest(({ gapP99 }) => gapP99)} ms, lag p99 ${largest(({ lag }) => lag.p99)} ms`,
      )
    },
    end() {
      if (watched) process.stderr.write('\r\u001b[2K')
    },
  }
}
