import { expect, test } from 'vitest'
import { holds, readObjectives } from './objective.ts'

test('objectives name a metric with its view and statistic, or a figure', () => {
  expect(readObjectives('ttft.p95<300ms, gap.service.p99.9<=0.06s,errors<0.1%,eventsPerS>1000/s')).toMatchObject([
    { subject: { kind: 'metric', metric: 'ttft', view: 'response', stat: 'p95' }, comparison: '<', bound: 300 },
    { subject: { kind: 'metric', metric: 'gap', view: 'service', stat: 'p999' }, comparison: '<=', bound: 60 },
    { subject: { kind: 'figure', figure: 'errors' }, bound: 0.1 },
    { subject: { kind: 'figure', figure: 'eventsPerS' }, comparison: '>', bound: 1000 },
  ])
})

test.each([
  'ttft<300ms',
  'ttft.p95<300',
  'ttft.p96<300ms',
  'errors<0.1',
  'errors<1ms',
  'nothing.p95<3ms',
  'ttft.p95=300ms',
])('"%s" is refused with what is wrong', (text) => {
  expect(() => readObjectives(text)).toThrow(`--slo "${text}"`)
})

test('an objective holds at its bound or not, as it says', () => {
  const [below, atMost] = readObjectives('ttft.p50<10ms,ttft.p50<=10ms')
  expect(below !== undefined && holds(below, 10)).toBe(false)
  expect(atMost !== undefined && holds(atMost, 10)).toBe(true)
})
