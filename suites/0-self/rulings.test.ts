import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { newestOf, readColumns } from '../../bench/results.ts'
import { classes, readRulings } from '../../bench/rulings/rulings.ts'
import { drawAgain, offTape, readTape, tapesFolder } from '../../bench/rulings/tape.ts'
import { isVariantId } from '../../detection/variants/index.ts'
import { checkIds } from '../../src/check/check-ids.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { bodyText } from '../../src/wire/recorded-exchange.ts'

const servers = readRulings()
const bytesMax = 5_000_000
const offTapeShareMax = 0.1
const tests = ['reference-server/node-server', 'suites/0-self'].flatMap((folder) =>
  readdirSync(join(packageFolder, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(packageFolder, folder, file), 'utf8')),
)

describe.each(servers)('the rulings on $server', ({ name, rulings }) => {
  const ids = rulings.map(({ check }) => check)
  const ofClass = (...wanted: readonly string[]) => rulings.filter((one) => wanted.includes(one.class))

  test('name checks, each once, with a class and an exchange', () => {
    expect(ids.length).toBeGreaterThan(0)
    const register: readonly string[] = checkIds
    expect(ids.filter((id, place) => !register.includes(id) || ids.indexOf(id) !== place)).toEqual([])
    expect(ofClass(...classes)).toEqual(rulings)
    expect(rulings.filter(({ exchange }) => exchange.length < 10)).toEqual([])
  })

  test('lead every echo to a failure that is true', () => {
    const roots = ofClass('true').map(({ check }) => check)
    expect(rulings.filter((one) => one.class === 'echo' && !roots.includes(one.of))).toEqual([])
  })

  test('have a legal variant, or a test of our own nodes, for whatever was held against it wrongly', () => {
    const variants = rulings.flatMap((one) => ('variant' in one ? [one.variant] : []))
    expect(variants.filter((variant) => !isVariantId(variant))).toEqual([])
    const titles = rulings.flatMap((one) => ('test' in one ? [one.test] : []))
    expect(titles.filter((title) => !tests.some((text) => text.includes(`'${title}'`)))).toEqual([])
    expect(variants.length + titles.length).toBe(ofClass('wrong', 'overreach').length)
  })

  test('follow from its tape', async () => {
    const drawn = await drawAgain(readTape(name))
    expect(drawn.filter(({ taped, again }) => again !== taped && again !== offTape)).toEqual([])
    // Beyond this the tape is due again: npm run matrix -- SERVER@VERSION, then npm run tapes -- NAME.
    expect(drawn.filter(({ again }) => again === offTape).length).toBeLessThanOrEqual(drawn.length * offTapeShareMax)
    const fails = new Map<string, boolean>(drawn.map(({ check, taped }) => [check, taped.startsWith('fail')]))
    expect(ofClass('true').filter(({ check }) => fails.get(check) === false)).toEqual([])
    expect(ofClass('wrong', 'overreach').filter(({ check }) => fails.get(check) === true)).toEqual([])
  })
})

test('every failure of the newest version of each server has been ruled on', () => {
  const red = newestOf(readColumns()).flatMap(({ server, version, results }) =>
    results.filter(({ verdict }) => verdict === 'fail').map(({ id }) => `${server}/${version}: ${id}`),
  )
  const ruled = new Set(servers.flatMap(({ column, rulings }) => rulings.map(({ check }) => `${column}: ${check}`)))
  expect(red.length).toBeGreaterThan(100)
  expect(red.filter((one) => !ruled.has(one))).toEqual([])
})

test('a verdict that no longer follows from its tape shows', async () => {
  const tape = readTape('aimock')
  if (tape === undefined) throw new Error('there is no tape')
  const pricing = '"pricing":{"prompt":1,"completion":1,"unit":"per_million_tokens"}'
  const exchanges = tape.exchanges.map((one) => {
    if (one.answer === undefined || one.request.method !== 'GET') return one
    const text = bodyText(one.answer.body).replaceAll('"object":"model"', `"object":"model",${pricing}`)
    return { ...one, answer: { ...one.answer, body: { text } }, arrivals: [[1, Buffer.byteLength(text)] as const] }
  })
  const changed = (await drawAgain({ ...tape, exchanges })).filter(({ taped, again }) => taped !== again)
  expect(changed).toMatchObject([{ check: 'models.pricing', again: 'pass' }])
})

test('the tapes are small', () => {
  const sizes = readdirSync(tapesFolder).map((file) => statSync(join(tapesFolder, file)).size)
  expect(sizes.length).toBeGreaterThan(0)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(bytesMax)
})
