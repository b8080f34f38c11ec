import { describe, expect, test } from 'vitest'
import { exactModels, forwardedModels } from './served-models.ts'

test('a node by itself serves only the models that it was given', () => {
  const models = exactModels(['small'])
  expect(['small', 'openai/small', 'large'].map((model) => models.serves(model, false))).toEqual([true, false, false])
})

describe('a node that Assay plays for a gateway', () => {
  test('serves the model under a name with a provider in front', () => {
    const models = forwardedModels(['openai:small'])
    expect(['small', 'a/small', 'b,small'].map((model) => models.serves(model, false))).toEqual([true, true, true])
  })

  test('serves it under the name that the gateway asked for first', () => {
    const models = forwardedModels(['small'])
    expect(models.serves('gpt-internal', false)).toBe(true)
    expect(models.serves('gpt-internal', false)).toBe(true)
  })

  test('refuses any other name, unless its request follows a script', () => {
    const models = forwardedModels(['small'])
    models.serves('small', false)
    expect(models.serves('small-n78af', false)).toBe(false)
    expect(models.serves('small-n78af', true)).toBe(true)
  })
})
