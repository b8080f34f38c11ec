import { describe, expect, test } from 'vitest'
import { exactModels, forwardedModels } from './served-models.ts'

test('a node by itself serves only the models that it was given', () => {
  const models = exactModels(['small'])
  expect(['small', 'openai/small', 'large'].map((model) => models.serves(model, false))).toEqual([true, false, false])
})

describe('a node that Assay plays for a gateway', () => {
  test('serves the model under its own name, and without the provider in front', () => {
    const models = forwardedModels(['openai:small'])
    expect(['small', 'openai:small'].map((model) => models.serves(model, false))).toEqual([true, true])
  })

  test('lists the model without the provider in front, too, before which a gateway may put it', () => {
    expect(forwardedModels(['openai/small', 'small']).listed).toEqual(['openai/small', 'small'])
    expect(forwardedModels(['small']).listed).toEqual(['small'])
  })

  test.each(['gpt-internal', 'openai/small'])('serves it as %s if that is what the gateway asked for first', (name) => {
    const models = forwardedModels(['small'])
    expect([name, name, 'small'].map((model) => models.serves(model, false))).toEqual([true, true, true])
  })

  test('refuses a provider that is not the first one', () => {
    const models = forwardedModels(['small'])
    models.serves('small', false)
    expect(['n57ea/small', 'small'].map((model) => models.serves(model, false))).toEqual([false, true])
  })

  test('knows what another node of the run has learned', () => {
    const learned = new Set<string>()
    const [one, other] = [forwardedModels(['small'], learned), forwardedModels(['small'], learned)]
    one.serves('openai/small', false)
    expect(['n57ea/small', 'openai/small'].map((model) => other.serves(model, false))).toEqual([false, true])
  })

  test('refuses any other name, unless its request follows a script', () => {
    const models = forwardedModels(['small'])
    models.serves('small', false)
    expect(models.serves('small-n78af', false)).toBe(false)
    expect(models.serves('small-n78af', true)).toBe(true)
  })
})
