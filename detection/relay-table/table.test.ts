import { describe, expect, test } from 'vitest'
import { checks } from '../../suites/index.ts'
import { relayFaults } from './faults.ts'
import { hows } from './hows.ts'
import { reasons } from './reasons.ts'
import { cells, nameOf, whats } from './table.ts'
import { whens } from './whens.ts'

describe('the relay table', () => {
  test('has a cell for each what, how and when, each once', () => {
    const names = cells.map(nameOf)
    expect(new Set(names).size).toBe(names.length)
    expect(names).toHaveLength(Object.keys(whats).length * Object.keys(hows).length * Object.keys(whens).length)
  })

  test('has a fault or a reason in every cell, and not both', () => {
    const filled = new Set(Object.keys(relayFaults))
    const wrong = cells.filter((cell) => filled.has(nameOf(cell)) === (cell.reason !== undefined))
    expect(wrong.map(nameOf)).toEqual([])
  })

  test('has a fault for everything that the contract does not leave open, and a use for every how, when and reason', () => {
    const filled = cells.filter(({ reason }) => reason === undefined)
    const closed = cells.filter(({ reason }) => reason !== 'open')
    expect(new Set(filled.map(({ what }) => what))).toEqual(new Set(closed.map(({ what }) => what)))
    expect(new Set(filled.map(({ how }) => how))).toEqual(new Set(Object.keys(hows)))
    expect(new Set(filled.map(({ when }) => when))).toEqual(new Set(Object.keys(whens)))
    expect(new Set(cells.flatMap(({ reason }) => reason ?? []))).toEqual(new Set(Object.keys(reasons)))
  })

  test('names only checks of both sides', () => {
    const twoSided = new Set(
      checks.filter(({ needs = [] }) => needs.includes('nodes') || needs.includes('two-nodes')).map(({ id }) => id),
    )
    const strange = Object.values(relayFaults).flatMap(({ breaks }) => breaks.filter((id) => !twoSided.has(id)))
    expect(strange).toEqual([])
    expect(Object.values(relayFaults).filter(({ breaks }) => breaks.length === 0)).toEqual([])
  })

  test('says what each gateway does in one sentence of its own', () => {
    const sentences = Object.values(relayFaults).map(({ about }) => about)
    expect(sentences.filter((about) => !/^[A-Z`].*\.$/.test(about))).toEqual([])
    expect(new Set(sentences).size).toBe(sentences.length)
  })
})
