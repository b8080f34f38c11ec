import type { TimingModel } from './timing.ts'

/** Ready-made timing models: no delay at all, and models of three sizes on suitable machines. */
export const timingProfiles = {
  instant: { firstToken: 0, gap: 0 },
  small: {
    firstToken: {
      percentiles: [
        [0, 30],
        [50, 60],
        [95, 120],
        [99, 200],
        [100, 300],
      ],
    },
    gap: { mean: 10, sd: 2, min: 4 },
    prefillMsPerToken: 0.02,
    slowdown: { above: 64, factor: 0.005 },
  },
  medium: {
    firstToken: {
      percentiles: [
        [0, 45],
        [50, 80],
        [95, 180],
        [99, 300],
        [100, 500],
      ],
    },
    gap: { mean: 12, sd: 3, min: 5 },
    prefillMsPerToken: 0.06,
    slowdown: { above: 32, factor: 0.01 },
  },
  large: {
    firstToken: {
      percentiles: [
        [0, 90],
        [50, 150],
        [95, 400],
        [99, 800],
        [100, 1500],
      ],
    },
    gap: { mean: 18, sd: 5, min: 8 },
    prefillMsPerToken: 0.2,
    slowdown: { above: 16, factor: 0.02 },
    spikes: { every: 64, ms: 60 },
  },
} as const satisfies Record<string, TimingModel>

type TimingName = keyof typeof timingProfiles

/** A profile's name, or a custom model. */
export type Timing = TimingName | TimingModel

export function timingModel(timing: Timing): TimingModel {
  return typeof timing === 'string' ? timingProfiles[timing] : timing
}
