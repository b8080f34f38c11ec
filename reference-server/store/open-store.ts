import { dirname } from 'node:path'
import { makeFolder } from '../../src/make-folder.ts'
import type { Clock } from '../clock.ts'
import { fileCommitter } from './embedded/committer.ts'
import { embeddedStore } from './embedded/embedded-store.ts'
import { memoryStore } from './memory/memory-store.ts'
import type { Store } from './store.ts'

/** Opens `memory`, `sqlite:FILE` or `postgres://…`. Throws an error that names the store and what to do. */
export async function openStore(location: string, clock: Clock): Promise<Store> {
  if (location === 'memory') return memoryStore(clock)
  if (location.startsWith('sqlite:')) return openFile(location.slice('sqlite:'.length), clock)
  if (/^postgres(ql)?:\/\//.test(location)) return openServer(location, clock)
  throw new Error(`a store must be memory, sqlite:FILE or postgres://…, got "${location}"`)
}

async function openFile(file: string, clock: Clock): Promise<Store> {
  try {
    makeFolder(dirname(file))
    return await embeddedStore(await fileCommitter(file), clock)
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    const hint = /locked|busy/.test(problem) ? 'Another gateway has it open: stop it, or name another file.' : ''
    throw new Error(`the store sqlite:${file} cannot be opened: ${problem}. ${hint}`.trim(), { cause: error })
  }
}

async function openServer(url: string, clock: Clock): Promise<Store> {
  // Loaded only where it is used: the embedded store starts without a database driver.
  const { postgresStore } = await import('./postgres/postgres-store.ts')
  try {
    return await postgresStore(url, clock)
  } catch (error) {
    const { host } = new URL(url)
    const problem = error instanceof Error ? error.message : String(error)
    throw new Error(`the store at postgres://${host} cannot be opened: ${problem}`, { cause: error })
  }
}
