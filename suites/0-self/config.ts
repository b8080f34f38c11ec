import { version } from '../../src/fixtures.ts'
import type { TargetConfig } from '../../src/target/config.ts'

/** A target's configuration for a test, with the usual value for everything that the test leaves out. */
export function configFor(baseUrl: string, own: Partial<TargetConfig> = {}): TargetConfig {
  return {
    baseUrl,
    apiPath: '/api/v1',
    keys: {},
    headers: [],
    insecure: false,
    timeoutMs: 2000,
    settlingMs: 300,
    long: false,
    concurrency: 8,
    requestsMax: 100_000,
    durationMsMax: 60_000,
    load: true,
    costly: true,
    runId: 'test',
    version,
    ...own,
  }
}
