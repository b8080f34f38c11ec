import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'

/** For a command that takes options only, or one of these words before them. An address is what people write without its option. */
export function refusePositionals(positionals: readonly string[], words: readonly string[] = []): void {
  const [first] = positionals
  if (first === undefined) return
  const hint = /^https?:\/\//.test(first) ? ` Pass it as --base-url ${first}.` : didYouMean(first, words)
  throw new HarnessError('usage', `"${first}" is not an option.${hint}`)
}
