import type { DialectName } from '../../reference-server/node-server/dialect/dialects.ts'

/** The engines whose shapes the nodes that Assay plays can take. */
export const nodeDialects = ['vllm', 'llama.cpp', 'sglang', 'openai'] as const satisfies readonly DialectName[]

export type NodeDialect = (typeof nodeDialects)[number]
