import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { faultsByChecks } from './faults-by-check.ts'

/** `npm run generate`, second part: how many faults each set of checks must notice, by which a budget chooses. */
writeFileSync(join(packageFolder, 'fixtures', 'checks', 'faults.json'), faultsByChecks())
