import { median } from '../../../src/load/bootstrap.ts'

/** What a process takes at one moment. */
export interface Sample {
  /** Resident. */
  readonly memoryMb: number
  readonly descriptors: number
}

const memoryMbMax = 200
const growthMbMax = 16
const descriptorsGrowthMax = 40
/** Its files, listeners and connections to the books; a stray connection of a pool may be on its way out. */
export const idleDescriptorsMax = 100

/** The medians of the second and of the last quarter: the first is for what is loaded and compiled. */
export function quarters(samples: readonly Sample[]): { readonly early: Sample; readonly late: Sample } {
  const quarter = Math.floor(samples.length / 4)
  const middle = (some: readonly Sample[]): Sample => ({
    memoryMb: median(some.map(({ memoryMb }) => memoryMb)),
    descriptors: median(some.map(({ descriptors }) => descriptors)),
  })
  return { early: middle(samples.slice(quarter, 2 * quarter)), late: middle(samples.slice(-quarter)) }
}

/** What is not flat, or too much, in words. At least four samples. */
export function growthProblems(samples: readonly Sample[], after: Sample): readonly string[] {
  const { early, late } = quarters(samples)
  const most = Math.max(...samples.map(({ memoryMb }) => memoryMb))
  const found: readonly (readonly [boolean, string])[] = [
    [most >= memoryMbMax, `its resident memory reached ${most} MB`],
    [late.memoryMb - early.memoryMb > growthMbMax, `its memory grew from ${early.memoryMb} to ${late.memoryMb} MB`],
    [
      late.descriptors - early.descriptors > descriptorsGrowthMax,
      `its descriptors grew from ${early.descriptors} to ${late.descriptors}`,
    ],
    [after.descriptors > idleDescriptorsMax, `${after.descriptors} descriptors are open though everybody has gone`],
  ]
  return found.filter(([isWrong]) => isWrong).map(([, words]) => words)
}
