import { existsSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Where runs keep their evidence unless `--evidence` says otherwise. */
export const evidenceHome = 'assay-evidence'

/** Every run has a folder of its own; this link leads to the newest. */
const latest = 'latest'

/** The file in a run's folder that holds its report. */
export const runFile = 'run.json'

/** The file beside it, which only evidence has: it says how the target was met. */
export const targetFile = 'target.json'

/** The name of a run's folder: names sort by time, and runs of one second differ. */
export function folderName(startedAt: Date, runId: string): string {
  return `${secondOf(startedAt.toISOString())}-${runId}`
}

function secondOf(startedAt: string): string {
  return startedAt.slice(0, 19).replaceAll(':', '-')
}

/** The folder that holds a run: the named one, or the newest in it. */
export function runFolder(named: string): string {
  return existsSync(join(named, targetFile)) ? named : join(named, latest)
}

/** The folders in which a run that began then may have left its evidence: the named one, and those of its second in it. */
export function foldersOf(named: string, startedAt: string): readonly string[] {
  const inside = existsSync(named) ? readdirSync(named) : []
  return [named, ...inside.filter((name) => name.startsWith(secondOf(startedAt))).map((name) => join(named, name))]
}

/** Points the link at a run's folder. The link is relative, so that the whole can be moved. */
export function linkLatest(folder: string): void {
  const link = join(dirname(folder), latest)
  const fresh = `${link}-${process.pid}`
  rmSync(fresh, { force: true })
  symlinkSync(basename(folder), fresh)
  // A rename replaces the old link at once: nobody finds none.
  renameSync(fresh, link)
}
