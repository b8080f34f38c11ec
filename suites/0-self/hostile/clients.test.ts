import { expect, test } from 'vitest'
import { attack } from '../../../bench/reliability/hostile-clients/attack.ts'
import { meet } from '../../../bench/reliability/hostile-clients/meet.ts'
import { startGateway } from '../../../reference-server/main.ts'

/** A sample of `npm run hostile:clients`. */
test('the gateway takes whatever clients send, and nobody gets in', async () => {
  const bugs: unknown[] = []
  const operatorPassword = 'a password of the operator'
  const gateway = await startGateway({
    control: { token: 'a token' },
    dashboard: { port: 0, operatorPassword },
    metrics: {},
    onBug: (error) => bugs.push(error),
  })
  const { baseUrl, control, dashboard, metricsUrl = '' } = gateway
  const known = await meet({
    baseUrl,
    controlUrl: control?.url ?? '',
    controlToken: control?.token ?? '',
    dashboardUrl: dashboard?.url ?? '',
    metricsUrl,
    operatorPassword,
  })
  const findings = await attack(known, { seed: 1, from: 0, count: 1500, clients: 16 }, new Map())
  await gateway.close()
  expect([findings, bugs]).toEqual([[], []])
})
