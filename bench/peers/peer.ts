import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What every tool has to do: this many streams at once, with this many events each. */
export const streams = 100
export const events = 250
/** The server's timing of each stream. */
export const truth = { ttftMs: 200, gapMs: 20 }
export const cache = join(import.meta.dirname, '..', '..', '.cache', 'peers')

/** Another load tool, or ours. */
export interface Peer {
  readonly name: string
  /** Installs it into the cache folder; says why if that fails. */
  install(): string | undefined
  command(url: string): readonly [string, readonly string[]]
  /** What it reports about first tokens and gaps, from what it printed or wrote. */
  read(out: string): string
}

export const body = JSON.stringify({
  model: 'small',
  messages: [{ role: 'user', content: 'Tell me.' }],
  stream: true,
  max_tokens: events,
})

export function tryInstall(command: string, args: readonly string[]): string | undefined {
  const { status, stderr, error } = spawnSync(command, args, { cwd: cache, timeout: 900_000, encoding: 'utf8' })
  if (status === 0) return undefined
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? 'failed'
}

export const pythonOf = (name: string): string => join(cache, name, 'bin', 'python')

export function pip(name: string, packages: readonly string[]): string | undefined {
  const done = join(cache, name, '.installed')
  if (existsSync(done)) return undefined
  const failed =
    tryInstall('python3', ['-m', 'venv', name]) ??
    tryInstall(pythonOf(name), ['-m', 'pip', 'install', '-q', ...packages])
  if (failed === undefined) writeFileSync(done, '')
  return failed
}

/** Tools for models want a tokenizer from a hub; a word tokenizer made here lets them run without one. */
export function wordTokenizer(python: string): string {
  const folder = join(cache, 'tokenizer')
  if (!existsSync(folder)) execFileSync(python, ['-c', makeTokenizer, folder], { stdio: 'ignore' })
  return folder
}

const makeTokenizer = `
import sys
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast
words = ['[UNK]'] + [f'w{i}' for i in range(2000)]
tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token='[UNK]'))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
special = {name: '[UNK]' for name in ('unk_token', 'bos_token', 'eos_token', 'pad_token')}
PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(sys.argv[1])
`

/** How far the tool is from the truth, in milliseconds. */
export function said(
  [ttft50 = 0, ttft95 = 0]: readonly number[],
  [gap50 = 0, gap95 = 0, gap99 = 0]: readonly number[],
): string {
  const off = (value: number, known: number): string => `${value - known >= 0 ? '+' : ''}${(value - known).toFixed(2)}`
  return `ttft p50 ${off(ttft50, truth.ttftMs)}, p95 ${off(ttft95, truth.ttftMs)} ms; gap p50 ${off(gap50, truth.gapMs)}, p95 ${off(gap95, truth.gapMs)}, p99 ${off(gap99, truth.gapMs)} ms`
}
