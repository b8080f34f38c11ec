import { spawn } from 'node:child_process'

export interface Ended {
  readonly exitCode: number | null
  readonly out: string
}

/** What npm and vitest put into the environment of this run, and a user's shell does not have. */
const ofThisRun = /^(npm_(?!config_)|INIT_CWD$|VITEST|NODE_ENV$|TEST$|ASSAY_)/

/** Runs a command to its end; `out` is all that it printed. The folder of another Node comes first in the path. */
export function shell(
  script: string,
  { cwd, env = {}, path = '' }: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv; readonly path?: string },
): Promise<Ended> {
  const { promise, resolve } = Promise.withResolvers<Ended>()
  const { PATH = '', ...rest } = process.env
  const own = Object.entries(rest).filter(([name]) => !ofThisRun.test(name))
  const child = spawn('bash', ['-c', script], {
    cwd,
    env: { ...Object.fromEntries(own), ...env, PATH: path === '' ? PATH : `${path}:${PATH}` },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes) => {
      out += bytes
    })
  child.on('close', (exitCode) => resolve({ exitCode, out }))
  return promise
}

/** The same, but anything except success is an error that shows what was printed. */
export async function shellOk(script: string, options: Parameters<typeof shell>[1]): Promise<string> {
  const { exitCode, out } = await shell(script, options)
  if (exitCode !== 0) throw new Error(`${script}\nexited with ${exitCode}:\n${out}`)
  return out
}
