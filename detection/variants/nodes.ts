import type { DialectName } from '../../reference-server/node-server/dialect/dialects.ts'
import type { Variant } from './variant.ts'

/** The reference gateway, in front of nodes that speak as real engines do. */
export const nodesVariants = {
  'nodes-speak-as-vllm': speaking('vllm', 'a role chunk, text beside the finish reason, an error before [DONE]'),
  'nodes-speak-as-llama.cpp': speaking('llama.cpp', 'a role beside content null, timings in the last chunk'),
  'nodes-speak-as-sglang': speaking(
    'sglang',
    'ids without a prefix, reasoning_content null, errors that are not below `error`',
  ),
  'nodes-speak-as-openai': speaking('openai', 'usage null until the last chunk, obfuscation, headers of its own'),
} as const satisfies Record<string, Variant>

function speaking(nodeDialect: DialectName, forms: string): Variant {
  const about = `The nodes answer as ${nodeDialect} does: ${forms}.`
  return { reported: true, about, group: 'node-dialect', nodeDialect, wrap: () => ({}) }
}
