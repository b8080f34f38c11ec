import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm } from '../../server.ts'

/** The encodings that one-api loads at its start, from npm, where it looks before it asks the network. */
export function installEncodings(folder: string): void {
  npm(folder, { tiktoken: '1.0.22' })
  for (const name of ['cl100k_base', 'o200k_base']) {
    const file = join(folder, 'node_modules', 'tiktoken', 'encoders', `${name}.json`)
    const url = `https://openaipublic.blob.core.windows.net/encodings/${name}.tiktoken`
    const cached = createHash('sha1').update(url).digest('hex')
    writeFileSync(join(folder, cached), ranked(JSON.parse(readFileSync(file, 'utf8')).bpe_ranks))
  }
}

/** A line for each token with its rank; packed, a line holds the rank of its first token and all that follow it. */
function ranked(packed: string): string {
  return packed
    .split('\n')
    .flatMap((line) => {
      const [, first, ...tokens] = line.split(' ')
      return tokens.map((token, index) => `${token} ${Number(first) + index}\n`)
    })
    .join('')
}
