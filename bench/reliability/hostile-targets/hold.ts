import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAssay } from '../../../suites/0-self/assay.ts'
import type { Behaviour } from './behaviour.ts'
import { startHostileServer } from './server.ts'

/** A command with the options that bound it. */
export interface Attempt {
  readonly args: readonly string[]
  /** The time that its options give it. */
  readonly budgetMs: number
}

/** What a command did against one behaviour. */
export interface Held {
  readonly exitCode: number | null
  /** How much later than its budget it ended, if it did. */
  readonly lateMs: number
  readonly peakMb: number
  /** What did not hold, apart from the time: a busy machine takes more. */
  readonly problems: readonly string[]
  /** What it wrote. */
  readonly said: string
}

const key = 'sk-assay-hostile0key1never2leaves3'
const peakMbMax = 512
/** A command that is later than this is killed, which no exit code survives. */
const patienceMs = 60_000
const exitCodes: readonly (number | null)[] = [0, 1, 3]
/** What a user can do when a run ends with 2 for want of time, or of a model in the list. */
const remedy = /--max-time|--model/
const pollMs = 20

const formats = ['json', 'html', 'junit'] as const

/** Runs the real command against a server of this behaviour. */
export async function hold(behaviour: Behaviour, { args, budgetMs }: Attempt): Promise<Held> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-hostile-'))
  const server = await startHostileServer(async (answering) => {
    const { honest, index } = answering
    const isSpoilt = index >= behaviour.from && behaviour.surfaces.includes(honest.surface)
    if (isSpoilt) await behaviour.spoil(answering)
    else await answering.write(honest.bytes)
  }, behaviour.isTls)
  try {
    const reports = ['terminal', ...formats.map((format) => `${format}=${format}`)].flatMap((one) => ['--report', one])
    const preload = behaviour.clockJumps
      ? { NODE_OPTIONS: `--import=${import.meta.resolve('./jumping-clock.ts')}` }
      : {}
    const start = performance.now()
    const { child, finished } = startAssay(
      [...args, '--base-url', server.url, ...reports],
      { ASSAY_API_KEY: key, ...preload },
      folder,
    )
    const peak = watchPeak(child.pid ?? 0)
    const killer = setTimeout(() => child.kill('SIGKILL'), budgetMs + patienceMs)
    const { exitCode, out, err } = await finished
    clearTimeout(killer)
    const lateMs = Math.max(0, performance.now() - start - budgetMs)
    const peakMb = peak()
    const said = out + err
    const problems = [
      !(exitCodes.includes(exitCode) || (exitCode === 2 && remedy.test(said))) && `exit code ${exitCode}`,
      peakMb > peakMbMax && `took ${Math.round(peakMb)} MB`,
      / {4}at .+:\d+:\d+|The harness itself failed/.test(said) && 'a stack trace',
      [...said].some(isControl) && 'control characters in what a terminal shows',
      said.includes(key) && 'the key in what it wrote',
      filesIn(folder).some((file) => readFileSync(file, 'latin1').includes(key)) && 'the key in a file',
      server.credentialsElsewhere.some((one) => one.includes(key)) && 'the key at another origin',
    ].filter((problem) => problem !== false)
    return { exitCode, lateMs, peakMb, problems, said }
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

function isControl(char: string): boolean {
  const code = char.charCodeAt(0)
  return (code < 0x20 && !'\n\t'.includes(char)) || (code >= 0x7f && code < 0xa0)
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** The most memory that a process had, in megabytes: the kernel keeps it as long as the process lives. */
function watchPeak(pid: number): () => number {
  let peakKb = 0
  const look = (): void => {
    try {
      peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0))
    } catch {
      // It has ended.
    }
  }
  const timer = setInterval(look, pollMs)
  return () => {
    clearInterval(timer)
    return peakKb / 1024
  }
}
