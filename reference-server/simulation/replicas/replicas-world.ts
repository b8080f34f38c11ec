import { storeOn } from '../../store/postgres/postgres-store.ts'
import { judgeBooks } from '../judge.ts'
import { ask, credit, deleteKey, settleIn } from '../owner.ts'
import { openProcess, type Watched } from '../process.ts'
import { models, type OwnedKey, type Process, runUntil, runWhile, type Scene } from '../scene.ts'
import { clockOf, type Life } from '../timeline.ts'
import { createDatabase, type Database } from './database.ts'
import { type Link, openLink } from './link.ts'
import { Troubles } from './troubles.ts'

/** For how long things happen, all recovers, and a last request is served, in ms. */
const START_MS = 2000
const BUSY_MS = 3000
const REST_MS = 6500
const LAST_MS = 1500
/** A request is under way for about as long. */
const SOON_MS = 80

interface Host {
  readonly process: Watched
  readonly link: Link
}

interface Cluster {
  readonly scene: Scene
  readonly database: Database
  hosts: readonly Host[]
  starts: number
  readonly troubles: Troubles
}

/** Some gateway processes on one PostgreSQL. */
export async function runReplicas(scene: Scene): Promise<void> {
  const { draw, timeline } = scene
  const cluster: Cluster = { scene, database: createDatabase(scene), hosts: [], starts: 0, troubles: new Troubles() }
  for (let count = draw.between(2, 3); count > 0; count -= 1) await runWhile(scene, start(cluster), START_MS)
  const [first] = cluster.hosts
  if (first === undefined) throw new Error('no process has started')
  const keys = await runWhile(scene, settleIn(scene, first.process), START_MS)
  for (let count = draw.between(3, 8); count > 0; count -= 1)
    timeline.after(draw.delayMs(BUSY_MS), () => {
      ask(scene, draw.pick(cluster.hosts).process, draw.pick(keys))
      // Most goes wrong while something is under way.
      if (draw.isOneOf(2)) timeline.after(draw.delayMs(SOON_MS), () => strike(cluster, keys))
    })
  await runUntil(scene, START_MS + BUSY_MS)
  await recover(cluster, keys)
}

async function start(cluster: Cluster): Promise<void> {
  const { scene, database } = cluster
  const life: Life = { isOver: false, stalledUntilMs: 0 }
  const clock = clockOf(scene.timeline, life, scene.calendar)
  const link = openLink(scene, database, life, clock)
  cluster.starts += 1
  const name = `process ${cluster.starts}`
  const postgres = scene.bug.postgres?.(link.postgres, clock) ?? link.postgres
  const process = openProcess(scene, name, life, clock, await storeOn(postgres, clock))
  cluster.hosts = [...cluster.hosts, { process, link }]
  scene.say?.(`${name} has started`)
}

function strike(cluster: Cluster, keys: readonly OwnedKey[]): void {
  const { scene, hosts } = cluster
  const { draw, timeline, say } = scene
  const machine = draw.pick(scene.machines)
  const { process, link } = draw.pick(hosts)
  const durationMs = draw.delayMs(BUSY_MS)
  const noteTrouble = (): void =>
    cluster.troubles.note({ of: process, fromMs: timeline.nowMs(), toMs: timeline.nowMs() + durationMs })
  const events: readonly (() => void)[] = [
    () => {
      machine.mood = draw.pick(['well', 'slow', 'gone', 'refusing', 'hanging', 'cutting'])
      say?.(`${machine.id} is ${machine.mood}`)
    },
    () => void credit(scene, process, draw.pick(scene.accounts)),
    () => {
      const key = draw.pick(keys.slice(1))
      if (!key.isDeleting) void deleteKey(scene, process, key)
    },
    () => {
      say?.(`${process.name} stands still for ${durationMs} ms`)
      process.life.stalledUntilMs = timeline.nowMs() + durationMs
      noteTrouble()
    },
    () => {
      say?.(`${process.name} is cut off for ${durationMs} ms`)
      link.isCut = true
      timeline.after(durationMs, link.heal)
      noteTrouble()
    },
    () => {
      say?.(`messages of ${process.name} are slow`)
      link.slowestMs = draw.pick([40, 300, 600])
      timeline.after(durationMs, link.heal)
      noteTrouble()
    },
    () => fail(cluster, durationMs),
    () => kill(cluster),
  ]
  draw.pick(events)()
}

/** Something is wrong with the database for a while. */
function fail({ scene, database, troubles }: Cluster, durationMs: number): void {
  const { draw, timeline, say } = scene
  const isSetBack = draw.isOneOf(3)
  if (isSetBack) {
    database.aheadMs -= draw.between(0, 3_600_000)
    say?.('the clock of the database is set back')
    return
  }
  if (draw.isOneOf(2)) database.stop()
  else database.state = 'paused'
  say?.(`the database is ${database.state} for ${durationMs} ms`)
  troubles.note({ of: undefined, fromMs: timeline.nowMs(), toMs: timeline.nowMs() + durationMs })
  timeline.after(durationMs, database.start)
}

/** A process is killed, and another one started. */
function kill(cluster: Cluster): void {
  const { scene, hosts } = cluster
  const { draw, timeline } = scene
  if (hosts.length < 2) return
  const { process, link } = draw.pick(hosts)
  scene.say?.(`${process.name} is killed`)
  process.life.isOver = true
  link.close()
  cluster.hosts = hosts.filter((host) => host.process !== process)
  timeline.after(draw.delayMs(500), () => void start(cluster).catch(() => undefined))
}

/** Everything is well again: what is under way ends, and every process serves a request. Then the books are read. */
async function recover(cluster: Cluster, keys: readonly OwnedKey[]): Promise<void> {
  const { scene, database } = cluster
  for (const machine of scene.machines) machine.mood = 'well'
  for (const { process, link } of cluster.hosts) {
    process.life.stalledUntilMs = 0
    link.heal()
  }
  database.start()
  const restedMs = START_MS + BUSY_MS + REST_MS
  await runUntil(scene, restedMs)
  const [key] = keys
  const last = scene.asked.length
  if (key !== undefined) for (const { process } of cluster.hosts) ask(scene, process, key)
  await runUntil(scene, restedMs + LAST_MS)
  for (const { isWhole, hasLeft, process } of scene.asked.slice(last))
    if (!isWhole && !hasLeft) scene.problems.push(`${process.name} does not serve again`)
  for (const { process } of cluster.hosts) {
    for (const { id } of models) if (!process.registry.serves(id)) scene.problems.push(`no node of ${id} came back`)
    scene.problems.push(...process.atRest())
  }
  const [{ process } = { process: undefined }] = cluster.hosts
  if (process === undefined) throw new Error('no process is left')
  const mayLose = (one: Process): boolean => one.life.isOver || cluster.troubles.mayHaveBeenAway(one)
  await runWhile(
    scene,
    judgeBooks(scene, process.store, (asked) => mayLose(asked.process)),
    restedMs + 2 * LAST_MS,
  )
}
