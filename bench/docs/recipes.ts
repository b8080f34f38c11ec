import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'

const folder = join('docs', 'examples')
const languages: Readonly<Record<string, string>> = { ts: 'ts', py: 'python', yml: 'yaml', yaml: 'yaml' }

/** The examples as parts of a page, `recipe:NAME` with hyphens for the dots of the file's name: what is read is what is tested. */
export function recipeParts(): readonly (readonly [name: string, text: string])[] {
  return readdirSync(join(packageFolder, folder)).map((file) => {
    const text = readFileSync(join(packageFolder, folder, file), 'utf8').trimEnd()
    const language = languages[file.split('.').at(-1) ?? ''] ?? ''
    return [`recipe:${file.replaceAll('.', '-')}`, `\`\`\`${language} ${folder}/${file}\n${text}\n\`\`\``]
  })
}
