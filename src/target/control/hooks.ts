import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Unsettled } from '../unsettled.ts'
import type { Verb, VerbValues } from './verbs.ts'

const timeoutMs = 30_000
/** The replies under way may end first. */
const restartTimeoutMs = 90_000

/** A shell command for each verb that a gateway's own tools can do; each prints the JSON that the control API would answer. */
export type ControlHooks = Readonly<Partial<Record<Verb, string>>>

/** Runs a verb's command. Its values are in the environment (`accountId` as `ASSAY_ACCOUNT_ID`), so nothing needs quoting. */
export async function runHook(
  hooks: ControlHooks,
  verb: Verb,
  values: VerbValues,
  withinMs = verb === 'restart' ? restartTimeoutMs : timeoutMs,
): Promise<string> {
  const command = hooks[verb]
  if (command === undefined) throw new Unsettled('capability', `the profile has no command for ${verb}`)
  const env: Record<string, string | undefined> = { ...process.env }
  for (const [name, value] of Object.entries(values)) if (value !== undefined) env[variableOf(name)] = String(value)
  // In a group of its own: a Ctrl-C at the terminal must not break it off halfway, with an account that nobody knows of.
  // A restart may print anything, and leave a server behind that keeps its output open.
  const isRestart = verb === 'restart'
  const stdio = ['ignore', isRestart ? 'ignore' : 'pipe', 'ignore'] as const
  const child = spawn(command, { shell: true, env, stdio: [...stdio], detached: true })
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    // A server that a restart has just started stays.
    if (isRestart) child.kill()
    else endGroup(child)
  }, withinMs)
  try {
    const [said, [code, signal]] = await Promise.all([
      child.stdout === null ? '' : text(child.stdout),
      once(child, 'close'),
    ])
    if (code === 0) return said
    // The command and its output may hold a secret: only how it ended is shown.
    const how = isLate ? `took longer than ${withinMs / 1000} s` : `failed with ${code ?? signal}`
    throw new Unsettled('target', `the profile's command for ${verb} ${how}`)
  } finally {
    clearTimeout(timer)
  }
}

/** The shell and what it started: a child that stays keeps the output open, and whoever reads it waits. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself meanwhile.
  }
}

/** `requestsPerMinute` becomes `ASSAY_REQUESTS_PER_MINUTE`. */
export function variableOf(name: string): string {
  return `ASSAY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}
