import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { releases } from '../check/check-ids.ts'
import { packageFolder } from '../fixtures.ts'
import { readSettings } from '../run/settings.ts'

const folder = join(packageFolder, 'fixtures', 'profiles')

describe('the profiles that come with the package', () => {
  test.each(readdirSync(folder))('%s can be read, and names its nodes', (name) => {
    const { plan } = readSettings(['--profile', join(folder, name)], {}, packageFolder)
    expect(plan.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(plan.nodes?.length).toBeGreaterThan(0)
    expect(plan.target.model).toBe(plan.nodes?.[0]?.model)
  })
})

test.each(['v0.1.0', '0.1', 'latest', '0.0.9', '0.1.9', '9.9.9'])(
  'a profile whose checks are those of %s, which is no release, is refused',
  (release) => {
    const own = mkdtempSync(join(tmpdir(), 'assay-profile-'))
    const file = join(own, 'profile.yaml')
    writeFileSync(file, `checks: "${release}"\n`)
    const reading = (): unknown => readSettings(['--profile', file], {}, own)
    expect(reading).toThrow(`"checks" in the profile: there is no release "${release}"; use 0.1.0 or 0.2.0.`)
    rmSync(own, { recursive: true })
  },
)

test.each(releases)('a profile may name the checks of release %s', (release) => {
  const own = mkdtempSync(join(tmpdir(), 'assay-profile-'))
  const file = join(own, 'profile.yaml')
  writeFileSync(file, `checks: ${release}\n`)
  expect(readSettings(['--profile', file], {}, own).plan.gate.checksOf).toBe(release)
  rmSync(own, { recursive: true })
})
