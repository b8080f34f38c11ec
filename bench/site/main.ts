import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { packageFolder } from '../../src/fixtures.ts'
import { fillBlocks } from '../docs/blocks.ts'
import { pages, readPage } from '../docs/pages.ts'
import { readColumns } from '../results.ts'
import { resultsInMarkdown } from './markdown.ts'
import { siteOf } from './site.ts'

/** `npm run site`: makes pages of `results/`. With --check it holds the tables in the pages of this repository against them instead. */
const { values } = parseArgs({
  options: { check: { type: 'boolean', default: false }, out: { type: 'string', default: '.cache/site' } },
})

if (values.check) {
  const parts = resultsInMarkdown()
  const stale = pages.filter((page) => fillBlocks(readPage(page), parts) !== readPage(page))
  process.stdout.write(
    stale.length === 0 ? 'The pages say what results/ says.\n' : `npm run docs: ${stale.join(', ')}\n`,
  )
  process.exitCode = stale.length === 0 ? 0 : 1
} else {
  const out = join(packageFolder, values.out)
  rmSync(out, { recursive: true, force: true })
  const site = siteOf(readColumns())
  let bytes = 0
  for (const [path, text] of site) {
    mkdirSync(dirname(join(out, path)), { recursive: true })
    writeFileSync(join(out, path), text)
    bytes += Buffer.byteLength(text)
  }
  process.stdout.write(`${site.size} files, ${(bytes / 1e6).toFixed(2)} MB, in ${values.out}\n`)
}
