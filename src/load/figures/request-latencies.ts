import type { Flight } from '../meter/flight.ts'
import type { GapLog } from '../meter/gap-log.ts'
import { createHistogram, type LatencyHistogram } from './histogram.ts'
import { type Metric, type MetricName, metricNames, metrics, type View } from './metrics.ts'

/** Histograms of one part of a run, by `metric` where both views are the same, else by `metric.view`. */
export type SerializedHistograms = Readonly<Record<string, string>>

/** What one request took, by metric, from its intended start. */
export type RequestValues = Readonly<Partial<Record<MetricName, number>>>

/** A histogram for each metric and view, of complete requests. */
export class RequestLatencies {
  private readonly histograms = new Map<string, LatencyHistogram>()

  add(flight: Flight, gaps: GapLog): RequestValues {
    const values: Partial<Record<MetricName, number>> = {}
    for (const name of metricNames) {
      if (name === 'gap') continue
      const { of, fromStart }: Required<Metric> = metrics[name]
      const response = of(flight, flight.intendedAtMs, gaps.largestMs)
      if (!Number.isFinite(response)) continue
      values[name] = response
      if (!fromStart) this.record(name, response)
      else {
        this.record(`${name}.response`, response)
        this.record(`${name}.service`, of(flight, flight.sentAtMs, gaps.largestMs))
      }
    }
    gaps.forEach((gapMs, count) => {
      this.record('gap', gapMs, count)
    })
    return values
  }

  /** So far; NaN before the first. */
  percentile(key: string, percent: number): number {
    return this.histograms.get(key)?.percentile(percent) ?? Number.NaN
  }

  /** Returns the histograms and frees them. */
  finish(): SerializedHistograms {
    const serialized = [...this.histograms].map(([key, histogram]) => [key, histogram.serialize()])
    for (const histogram of this.histograms.values()) histogram.free()
    return Object.fromEntries(serialized)
  }

  private record(key: string, ms: number, count = 1): void {
    let histogram = this.histograms.get(key)
    if (histogram === undefined) {
      histogram = createHistogram()
      this.histograms.set(key, histogram)
    }
    histogram.record(ms, count)
  }
}

/** The key under which the histogram of a metric is kept. */
export function histogramKey(metric: MetricName, view: View): string {
  return metrics[metric].fromStart ? `${metric}.${view}` : metric
}
