import { resolve } from 'node:path'
import { didYouMean } from '../did-you-mean.ts'
import { HarnessError } from '../harness-error.ts'
import type { Output } from '../report/outputs.ts'

/** Reads the values of `--report` by a table of formats; relative files start from `folder`. */
export function readReports<Name extends string>(
  table: Readonly<Record<Name, unknown>>,
  given: readonly string[] = ['terminal'],
  folder: string,
): readonly Output<Name>[] {
  return given.map((text) => {
    const [name = '', ...file] = text.split('=')
    const format = formatNamed(table, name)
    return file.length === 0 ? { format } : { format, file: resolve(folder, file.join('=')) }
  })
}

/** Throws a usage error that lists the formats of the table. */
export function formatNamed<Name extends string>(table: Readonly<Record<Name, unknown>>, name: string): Name {
  const names = Object.keys(table) as Name[]
  const format = names.find((one) => one === name)
  if (format === undefined)
    throw new HarnessError(
      'usage',
      `--report must be one of: ${names.join(', ')}; got "${name}".${didYouMean(name, names)}`,
    )
  return format
}
