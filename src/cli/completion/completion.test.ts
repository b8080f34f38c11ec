import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { HarnessError } from '../../harness-error.ts'
import { commands } from '../commands.ts'
import { completionOf } from './completion.ts'
import { shells } from './shells.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-completion-'))
afterAll(() => rmSync(folder, { recursive: true }))

async function scriptFor(shell: string): Promise<string> {
  const lines: string[] = []
  const print = (line: string): void => void lines.push(line)
  const outside = { env: {}, folder, live: false, terminal: false, color: false, ask: async () => '', leave: () => {} }
  expect(await completionOf(commands).run([shell], { ...outside, out: print, err: print })).toBe(0)
  const file = join(folder, shell)
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0
const run = (shell: string, args: readonly string[]): readonly string[] =>
  execFileSync(shell, args, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line !== '')

/** What the shell offers after these words, the last of which is being typed. */
const offers: Readonly<Record<(typeof shells)[number], (file: string, words: readonly string[]) => readonly string[]>> =
  {
    bash: (file, words) =>
      run('bash', [
        '-c',
        `source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf "%s\\n" "\${COMPREPLY[@]}"`,
        'bash',
        file,
        ...words,
      ]),
    // Its completion needs a terminal: what the script tells it is looked at.
    zsh: (file, words) =>
      run('zsh', [
        '-f',
        '-c',
        'compdef() { :; }; source "$1"; shift; words=("$@"); CURRENT=$#; _describe() { print -l $names }; _arguments() { print -l -- "$@" }; _assay',
        'zsh',
        file,
        ...words,
      ]),
    fish: (file, words) =>
      run('fish', ['--no-config', '-c', `source ${file}; complete -C '${words.join(' ')}'`]).map(
        (line) => line.split('\t')[0] ?? '',
      ),
  }

describe.each(shells)('in %s', (shell) => {
  test.skipIf(!isInstalled(shell))('commands, options, choices, checks and faults are completed', async () => {
    const file = await scriptFor(shell)
    const offered = (...words: readonly string[]): string => offers[shell](file, ['assay', ...words]).join('\n')
    expect(offered('conf')).toContain('conformance')
    expect(offered('load', '--find')).toContain('--find-knee')
    expect(offered('load', '--find')).not.toContain('--fault')
    expect(offered('gateway', '--pace', '')).toMatch(/instant[\s\S]*profile/)
    expect(offered('conformance', '--only', 'stream.ends')).toContain('stream.ends-with-done')
    expect(offered('explain', 'stream.ends')).toContain('stream.ends-with-done')
    expect(offered('gateway', '--fault', 'sse-no')).toContain('sse-no-done')
    expect(offered('load', 'cal')).toContain('calibrate')
  })
})

test.skipIf(!isInstalled('bash'))(
  'bash offers only what goes on from what is typed, after an equals sign too',
  async () => {
    const file = await scriptFor('bash')
    expect(offers.bash(file, ['assay', 'conf'])).toEqual(['conformance'])
    expect(offers.bash(file, ['assay', 'gateway', '--pace', '=', 'p'])).toEqual(['profile'])
    expect(offers.bash(file, ['assay', 'gateway', '--pace', '='])).toEqual(['instant', 'profile'])
    expect(offers.bash(file, ['assay', 'conformance', '--report', ''])).toEqual([])
    expect(offers.bash(file, ['assay', 'nonsense', ''])).toEqual([])
  },
)

test('another shell is a usage error that names those there are', async () => {
  await expect(scriptFor('bahs')).rejects.toThrow(
    new HarnessError('usage', 'completion takes one of bash, zsh, fish; got "bahs". Did you mean "bash"?'),
  )
})
