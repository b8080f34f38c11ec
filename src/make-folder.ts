import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it that are missing; returns the first that was made. Node's own `recursive` never returns
 * where the system says of a folder in one that exists that there is no such place, as it does below /proc.
 */
export function makeFolder(folder: string): string | undefined {
  if (isFolder(folder)) return undefined
  const above = dirname(folder)
  const first = above === folder ? undefined : makeFolder(above)
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isFolder(folder)) throw error
  }
  return first ?? folder
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
