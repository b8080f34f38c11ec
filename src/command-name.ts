import { existsSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { installation, packageFolder } from './fixtures.ts'

/** Where Assay runs: in a checkout, with the scripts of its package.json, or as an installed package. */
export interface Installation {
  readonly isCheckout: boolean
  readonly scripts: readonly string[]
}

/** Where the user stands: npm runs its scripts in the folder of the package, and says where it was called. */
export const userFolder = process.env['INIT_CWD'] ?? process.cwd()

/** How a user calls a command such as `conformance` from a folder. Outside a checkout `npx assay` is another package. */
export function commandName(
  command: string,
  { isCheckout, scripts }: Installation = installation,
  folder: string = userFolder,
): string {
  if (!isCheckout) return `npx inference-assay ${command}`
  // A path upwards from a symbolic link would start elsewhere.
  const start = existsSync(folder) ? realpathSync(folder) : folder
  if (scripts.includes(command) && packageAbove(start) === packageFolder) return `npm run ${command} --`
  return `node ${pathFrom(start, join(packageFolder, 'bin', 'assay.cjs'))} ${command}`
}

/** The folder whose package.json npm finds from there. */
function packageAbove(folder: string): string | undefined {
  if (existsSync(join(folder, 'package.json'))) return folder
  return dirname(folder) === folder ? undefined : packageAbove(dirname(folder))
}

/** The shorter of the two ways to write a path, as a word of a shell. */
function pathFrom(folder: string, file: string): string {
  const path = [relative(folder, file), file].reduce((one, other) => (other.length < one.length ? other : one))
  return /^[\w@%+=:,./\\~-]+$/.test(path) ? path : `"${path}"`
}
