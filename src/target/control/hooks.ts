import { exec } from 'node:child_process'
import { promisify } from 'node:util'
import { Unsettled } from '../unsettled.ts'
import type { Verb, VerbValues } from './verbs.ts'

const timeoutMs = 30_000

/** A shell command for each verb that a gateway's own tools can do; each prints the JSON that the control API would answer. */
export type ControlHooks = Readonly<Partial<Record<Verb, string>>>

/** Runs a verb's command. Its values are in the environment (`accountId` as `ASSAY_ACCOUNT_ID`), so nothing needs quoting. */
export async function runHook(hooks: ControlHooks, verb: Verb, values: VerbValues): Promise<string> {
  const command = hooks[verb]
  if (command === undefined) throw new Unsettled('capability', `the profile has no command for ${verb}`)
  const env: Record<string, string | undefined> = { ...process.env }
  for (const [name, value] of Object.entries(values)) if (value !== undefined) env[variableOf(name)] = String(value)
  try {
    return (await promisify(exec)(command, { env, timeout: timeoutMs })).stdout
  } catch (error) {
    // The command and its output may hold a secret: only how it ended is shown.
    const code = error instanceof Error && 'code' in error ? error.code : 'unknown'
    throw new Unsettled('target', `the profile's command for ${verb} failed with ${code}`)
  }
}

/** `requestsPerMinute` becomes `ASSAY_REQUESTS_PER_MINUTE`. */
export function variableOf(name: string): string {
  return `ASSAY_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}
