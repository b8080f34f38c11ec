import { describe, expect, test } from 'vitest'
import { defaultModels, loadModels, parseModels } from './models.ts'

describe('parseModels', () => {
  test('reads what it is given', () => {
    expect(parseModels(JSON.stringify(defaultModels), 'models.json')).toEqual(defaultModels)
  })

  test.each([
    ['{', 'models.json: not JSON'],
    ['[]', 'models.json: the file must NOT have fewer than 1 items'],
    ['[{"id":"a"}]', 'models.json: [0].ownedBy is required'],
    ['[{"id":"a","ownedBy":"b","contextWindow":0,"price":1}]', 'models.json: [0].contextWindow must be >= 1'],
    [JSON.stringify([defaultModels[0], defaultModels[0]]), 'models.json: the id "small" is used twice'],
  ])('says what is wrong with %s', (text, message) => {
    expect(() => parseModels(text, 'models.json')).toThrow(message)
  })

  test('a file that is not there is named', async () => {
    await expect(loadModels('/nowhere/models.json')).rejects.toThrow('/nowhere/models.json')
  })
})
