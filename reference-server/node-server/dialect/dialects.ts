import type { Dialect } from './dialect.ts'
import { llamaCpp } from './llama-cpp.ts'
import { openai } from './openai.ts'
import { plain } from './plain.ts'
import { sglang } from './sglang.ts'
import { vllm } from './vllm.ts'

const dialects = { vllm, 'llama.cpp': llamaCpp, sglang, openai } as const satisfies Record<string, Dialect>

/** An engine whose shapes a node can take. */
export type DialectName = keyof typeof dialects

export const dialectNames = Object.keys(dialects) as readonly DialectName[]

/** Without a name, the plain shapes of the format's documentation. */
export function dialectOf(name: DialectName | undefined): Dialect {
  return name === undefined ? plain : dialects[name]
}
