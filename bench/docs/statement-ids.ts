import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder, readContract } from '../../src/fixtures.ts'

/** `npm run generate`: the ids of the contract's statements, as a type that the checks are held to. */
const ids = readContract().flatMap(({ statements }) => statements.map(({ id }) => `  '${id}',`))
const text = `/** Ids of the statements of \`fixtures/contract/v1.md\`, in its order; \`npm run generate\` writes this file from it. */
export const statementIds = [
${ids.join('\n')}
] as const

export type StatementId = (typeof statementIds)[number]
`
writeFileSync(join(packageFolder, 'src', 'contract', 'statement-ids.ts'), text)
