import type { TestProject } from 'vitest/node'
import { embeddedConfig } from '../../src/cli/conformance.ts'
import { readConformanceSettings } from '../../src/cli/conformance-options.ts'
import { startEmbedded } from '../../src/cli/embedded.ts'
import { prepare } from '../../src/target/prepare.ts'
import { createTarget } from '../../src/target/target.ts'
import { checks } from '../index.ts'

/** Starts the reference gateway once, for `suites/bind.ts` as ordinary tests. */
export default async function startEmbeddedGateway(project: TestProject): Promise<() => Promise<void>> {
  const embedded = await startEmbedded()
  const { target: settings, randomness } = readConformanceSettings(['--load'], {}, process.cwd())
  const config = embeddedConfig({ target: settings }, embedded)
  const target = createTarget(config)
  const prepared = await prepare(target)
  await target.close()
  project.provide('assay', { config, prepared, randomness, selected: checks.map(({ id }) => id), keepAll: false })
  return () => embedded.close()
}
