import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageFolder } from '../fixtures.ts'
import { readConformanceSettings } from './conformance-options.ts'

const folder = join(packageFolder, 'fixtures', 'profiles')

describe('the profiles that come with the package', () => {
  test.each(readdirSync(folder))('%s can be read, and names its nodes', (name) => {
    const settings = readConformanceSettings(['--profile', join(folder, name)], {}, packageFolder)
    expect(settings.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(settings.nodes?.length).toBeGreaterThan(0)
    expect(settings.target.model).toBe(settings.nodes?.[0]?.model)
  })
})
