import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, readContract } from '../../src/fixtures.ts'

/** `npm run generate`: the contract's statements and their marks, as types that the checks are held to. */
const rows = readContract().flatMap(({ statements }) =>
  statements.map(({ id, basis, gravity }) => {
    const name = /^[a-z]+$/.test(id) ? id : `'${id}'`
    return basis === undefined ? `  ${name}: undefined,` : `  ${name}: { basis: '${basis}', gravity: '${gravity}' },`
  }),
)
const text = `import type { Marks } from './marks.ts'

/**
 * The statements of \`fixtures/contract/v1.md\` by their ids, in its order, with their marks; undefined where nothing is
 * judged. \`npm run generate\` writes this file from it.
 */
export const statementMarks = {
${rows.join('\n')}
} as const satisfies Readonly<Record<string, Marks | undefined>>

export type StatementId = keyof typeof statementMarks
`
writeFileSync(join(packageFolder, 'src', 'contract', 'statement-ids.ts'), text)
