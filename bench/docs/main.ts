import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { fillBlocks } from './blocks.ts'
import { pages, readPage } from './pages.ts'
import { generatedParts } from './parts.ts'

/** `npm run docs`: writes the generated parts of every page. */
const parts = await generatedParts()
for (const page of pages) {
  const text = readPage(page)
  const filled = fillBlocks(text, parts)
  if (filled === text) continue
  writeFileSync(join(packageFolder, page), filled)
  process.stdout.write(`${page} is written anew\n`)
}
