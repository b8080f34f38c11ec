import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Survival } from '../../reference-server/integration/trouble.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { keepFigures } from './figures.ts'

/** `npm run reliability:stores`: runs the tests of stores that fail, and keeps what they saw for `docs/reliability.md`. */
const outputFile = join(packageFolder, '.cache', 'stores.json')
mkdirSync(join(packageFolder, '.cache'), { recursive: true })
const vitest = join(packageFolder, 'node_modules', '.bin', 'vitest')
const config = join(packageFolder, 'reference-server', 'integration', 'vitest.config.ts')
const reporters = ['--reporter=default', '--reporter=json', `--outputFile=${outputFile}`]
const { status } = spawnSync(vitest, ['run', 'failing', '--config', config, ...reporters], { stdio: 'inherit' })
if (status !== 0) throw new Error('a store that failed was not survived: nothing is kept')

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly fullName: string
      readonly meta: { readonly survival?: Survival }
    }[]
  }[]
}
const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as Report
const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
keepFigures('stores', {
  command: 'npm run reliability:stores',
  head: ['', 'replies', 'refused with a 503', 'slowest refusal', 'back after'],
  rows: tests
    .map(({ fullName, meta: { survival } }) => [
      fullName,
      ...(survival === undefined
        ? ['as it should', '', '', '']
        : [
            String(survival.replies),
            String(survival.refused),
            `${Math.round(survival.slowestRefusalMs)} ms`,
            `${Math.round(survival.backMs)} ms`,
          ]),
    ])
    .sort(([one = ''], [other = '']) => one.localeCompare(other)),
})
