import type { TestProject } from 'vitest/node'
import { startGateway } from '../../reference-server/main.ts'
import { embeddedConfig } from '../../src/cli/conformance.ts'
import { readConformanceSettings } from '../../src/cli/conformance-options.ts'
import { prepare } from '../../src/target/prepare.ts'
import { createTarget } from '../../src/target/target.ts'
import { checks } from '../index.ts'

/** Starts the reference gateway once, for `suites/bind.ts` as ordinary tests. */
export default async function startEmbeddedGateway(project: TestProject): Promise<() => Promise<void>> {
  const gateway = await startGateway({ demo: true, control: {} })
  const { target: settings, randomness } = readConformanceSettings(['--load'], {}, process.cwd())
  const config = embeddedConfig({ target: settings }, gateway)
  const target = createTarget(config)
  const prepared = await prepare(target)
  await target.close()
  project.provide('assay', { config, prepared, randomness, selected: checks.map(({ id }) => id), keepAll: false })
  return () => gateway.close()
}
