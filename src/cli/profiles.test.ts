import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
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
