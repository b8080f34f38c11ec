import { embeddedStore } from '../../store/embedded/embedded-store.ts'
import { type SqliteEngine, sqliteEngine } from '../../store/embedded/sqlite-engine.ts'
import { closeAccount, deleteKeysOf } from '../../store/embedded/sqlite-statements.ts'
import { memoryStore } from '../../store/memory/memory-store.ts'
import type { Store } from '../../store/store.ts'
import { judgeBooks } from '../judge.ts'
import { ask, credit, deleteKey, settleIn } from '../owner.ts'
import { openProcess, type Watched } from '../process.ts'
import { models, type OwnedKey, runUntil, runWhile, type Scene } from '../scene.ts'
import { clockOf, type Life } from '../timeline.ts'
import { type Disk, openDisk } from './disk.ts'

/** For how long things happen, all recovers, and a last request is served, in ms. */
const BUSY_MS = 1500
const REST_MS = 3000
const LAST_MS = 500
/** Opening a database takes longer than a whole world, so some worlds in a row share one. */
const WORLDS_PER_ENGINE = 64

let shared: { readonly engine: SqliteEngine; left: number } | undefined

function sharedEngine(): SqliteEngine {
  if (shared === undefined || shared.left === 0) shared = { engine: sqliteEngine(':memory:'), left: WORLDS_PER_ENGINE }
  shared.left -= 1
  return shared.engine
}

/** The one process of this world, while there is one. */
interface Host {
  readonly scene: Scene
  readonly disk: Disk | undefined
  starts: number
  current: Watched | undefined
}

/** One gateway process with a store of its own, in memory or on a disk. */
export async function runEmbedded(scene: Scene): Promise<void> {
  const { draw, timeline } = scene
  const engine = draw.isOneOf(5) ? undefined : sharedEngine()
  const host: Host = { scene, disk: engine && openDisk(scene, engine), starts: 0, current: undefined }
  const first = await runWhile(scene, start(host), BUSY_MS)
  const keys = await runWhile(scene, settleIn(scene, first), BUSY_MS)
  for (let count = draw.between(2, 6); count > 0; count -= 1)
    timeline.after(draw.delayMs(BUSY_MS), () => {
      if (host.current !== undefined) ask(scene, host.current, draw.pick(keys))
    })
  for (let count = draw.between(0, 4); count > 0; count -= 1)
    timeline.after(draw.delayMs(BUSY_MS), () => strike(host, keys))
  await runUntil(scene, BUSY_MS)
  await recover(host, keys)
  if (engine !== undefined) engine.commit(scene.accounts.map(({ id }) => [deleteKeysOf(id, 0), closeAccount(id, 0)]))
}

async function start(host: Host): Promise<Watched> {
  const { scene, disk } = host
  const life: Life = { isOver: false, stalledUntilMs: 0 }
  const clock = clockOf(scene.timeline, life, scene.calendar)
  host.starts += 1
  const name = `process ${host.starts}`
  const store = await openStore()
  host.current = openProcess(scene, name, life, clock, store)
  scene.say?.(`${name} has started`)
  return host.current

  async function openStore(): Promise<Store> {
    if (disk === undefined) return memoryStore(clock)
    const committer = disk.committerOf(life, clock)
    return embeddedStore(scene.bug.committer?.(committer, clock) ?? committer, clock)
  }
}

/** Something happens that nobody asked for, or that the owner does. */
function strike(host: Host, keys: readonly OwnedKey[]): void {
  const { scene, current, disk } = host
  const { draw, timeline, say } = scene
  const machine = draw.pick(scene.machines)
  const events: readonly (() => void)[] = [
    () => {
      machine.mood = draw.pick(['well', 'slow', 'gone', 'refusing', 'hanging', 'cutting'])
      say?.(`${machine.id} is ${machine.mood}`)
    },
    () => {
      const state = draw.pick(['up', 'down', 'down', 'blackhole'] as const)
      current?.setState(machine.id, state)
      say?.(`${machine.id} is said to be ${state}`)
    },
    () => {
      scene.calendar.aheadMs += draw.between(-3_600_000, 3_600_000)
    },
    () => {
      if (current !== undefined) void credit(scene, current, draw.pick(scene.accounts))
    },
    () => {
      const key = draw.pick(keys.slice(1))
      if (current !== undefined && !key.isDeleting) void deleteKey(scene, current, key)
    },
    () => {
      if (current !== undefined) current.life.stalledUntilMs = timeline.nowMs() + draw.delayMs(500)
    },
    () => {
      if (disk === undefined) return
      disk.mood = draw.pick(['well', 'slow', 'full', 'full'])
      say?.(`the disk is ${disk.mood}`)
      timeline.after(draw.delayMs(BUSY_MS), () => {
        disk.mood = 'well'
      })
    },
    () => crash(host),
  ]
  draw.pick(events)()
}

/** The process is killed and started again. A store in memory would end with it. */
function crash(host: Host): void {
  const { scene, current, disk } = host
  if (current === undefined || disk === undefined) return
  scene.say?.(`${current.name} is killed`)
  current.life.isOver = true
  host.current = undefined
  scene.timeline.after(scene.draw.delayMs(200), () => {
    void start(host)
  })
}

/** Everything is well again: what is under way ends, and a request is served. Then the books are read. */
async function recover(host: Host, keys: readonly OwnedKey[]): Promise<void> {
  const { scene, disk } = host
  for (const machine of scene.machines) {
    machine.mood = 'well'
    host.current?.setState(machine.id, 'up')
  }
  if (disk !== undefined) disk.mood = 'well'
  await runUntil(scene, BUSY_MS + REST_MS)
  const { current } = host
  const [key] = keys
  if (current === undefined || key === undefined) {
    scene.problems.push('the process did not come back')
    return
  }
  const before = scene.asked.length
  ask(scene, current, key)
  await runUntil(scene, BUSY_MS + REST_MS + LAST_MS)
  const last = scene.asked[before]
  if (last?.isWhole !== true && last?.hasLeft !== true) scene.problems.push('it does not serve again')
  for (const { id } of models) if (!current.registry.serves(id)) scene.problems.push(`no node of ${id} came back`)
  scene.problems.push(...current.atRest())
  const isDead = scene.asked.filter(({ process }) => process.life.isOver)
  await runWhile(
    scene,
    judgeBooks(scene, current.store, (asked) => isDead.includes(asked)),
    BUSY_MS + 2 * REST_MS,
  )
}
