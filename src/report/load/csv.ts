import { median } from '../../load/bootstrap.ts'
import type { LoadReport } from './report.ts'

/** A line for each second of the run. Times are in milliseconds, empty where nothing was measured. */
export function renderLoadCsv({ main }: LoadReport): string {
  const lines = main.result.seconds.map(({ second, sent, ok, bad, events, ttft, stallMax }) =>
    [
      second,
      sent,
      ok,
      bad,
      events,
      ttft.length === 0 ? '' : median(ttft).toFixed(3),
      stallMax === 0 ? '' : stallMax.toFixed(3),
    ].join(','),
  )
  return `${['second,sent,ok,bad,events,ttft_p50_ms,stall_max_ms', ...lines].join('\n')}\n`
}
