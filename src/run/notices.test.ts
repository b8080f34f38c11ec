import { expect, test } from 'vitest'
import { noticesOf } from './notices.ts'

const listed = { model: 'small', roster: [{ id: 'small' }], works: { json: true, stream: true } }

test('a usual key and a listed model are nothing to tell', () => {
  expect(noticesOf({ keys: { main: 'sk-assay-0123456789' }, model: 'small' }, listed)).toEqual([])
  expect(noticesOf({ keys: {} }, listed)).toEqual([])
})

test('a short key is told by its length, and never itself', () => {
  const [notice = ''] = noticesOf({ keys: { main: 'xyzzy' } }, listed)
  expect(notice).toContain('5 characters')
  expect(notice).not.toContain('xyzzy')
})

test('a model that answers and is not listed is told', () => {
  expect(noticesOf({ keys: {}, model: 'other' }, listed)[0]).toContain(
    'The model other answers but is not in the model list',
  )
})

test('where the model does not answer, or there is no list, nothing is told of the list', () => {
  const silent = { ...listed, works: { json: false, stream: false } }
  expect(noticesOf({ keys: {}, model: 'other' }, silent)).toEqual([])
  expect(noticesOf({ keys: {}, model: 'other' }, { ...listed, roster: [] })).toEqual([])
})

test('where no model is known, it is told how to name one', () => {
  const { model: _, ...without } = listed
  const [notice, ...more] = noticesOf({ keys: {} }, { ...without, roster: [], works: { json: false, stream: false } })
  expect(notice).toBe(
    'The model list names no model or cannot be read, and --model names none either, so no reply can be asked for. Pass --model.',
  )
  expect(more).toEqual([])
})

test('where any model is answered, it is told which one is asked for', () => {
  const [notice] = noticesOf({ keys: {} }, { ...listed, roster: [], model: 'assay-preflight' })
  expect(notice).toContain('asks for assay-preflight. Pass --model to name another.')
})

test('where the model of our nodes is asked for, for want of a listed one, that is told', () => {
  const nodes = { model: 'small', controlUrls: [] }
  const [notice, ...more] = noticesOf({ keys: {}, nodes }, { ...listed, roster: [] })
  expect(notice).toContain('asks for small, which --nodes names.')
  expect(more).toEqual([])
  expect(noticesOf({ keys: {}, nodes }, listed)).toEqual([])
})

test('a target that streams unasked is told, since every request then says that it wants none', () => {
  expect(noticesOf({ keys: {} }, { ...listed, streamsUnasked: true })[0]).toContain('"stream": false')
})
