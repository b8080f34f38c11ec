import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Visitor } from './dashboard/test-visitor.ts'
import { startGateway } from './main.ts'

test("a demonstration has a person who signs in and sees the account of the demo's keys, also after a restart", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-demo-'))
  for (const _ of ['first start', 'second start']) {
    const demo = await startGateway({ demo: true, dashboard: {}, store: `sqlite:${join(folder, 'books.sqlite')}` })
    const { email = '', password: own = '' } = demo.demo?.person ?? {}
    const visitor = new Visitor((demo.dashboard?.url ?? '').replace(/\/$/, ''))
    expect((await visitor.post('/sign-in', { email, password: own })).status).toBe(303)
    expect(await (await visitor.get('/keys')).text()).toContain('limited')
    // A month of use, once: the books, the usage and the log of the last days agree.
    const linesOf = async (file: string) => (await (await visitor.get(file)).text()).trim().split('\r\n').slice(1)
    const charges = (await linesOf('/ledger.csv')).filter((line) => line.includes(',charge,'))
    const requests = (await linesOf('/usage.csv')).reduce((sum, line) => sum + Number(line.split(',')[4]), 0)
    expect([charges.length > 100, requests]).toEqual([true, charges.length])
    const logged = (await linesOf('/requests.csv')).filter((line) => line.includes(',ok,'))
    expect(charges.join()).toContain(logged[0]?.split(',')[1] ?? 'nothing is logged')
    await demo.close()
  }
  rmSync(folder, { recursive: true })
  const api = await startGateway({ demo: true })
  expect(api.demo?.person).toBeUndefined()
  await api.close()
})
