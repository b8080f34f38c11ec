import { HarnessError } from '../harness-error.ts'

/** For a command that takes options only. An address is what people write without its option. */
export function refusePositionals(positionals: readonly string[]): void {
  const [first] = positionals
  if (first === undefined) return
  const hint = /^https?:\/\//.test(first) ? ` Pass it as --base-url ${first}.` : ''
  throw new HarnessError('usage', `"${first}" is not an option.${hint}`)
}
