import { expect, test } from 'vitest'
import { drawFrom } from '../../../bench/reliability/draw.ts'
import { conformanceAttempt, loadAttempt } from '../../../bench/reliability/hostile-targets/attempts.ts'
import { generateBehaviours, kindCount } from '../../../bench/reliability/hostile-targets/generate.ts'
import { hold } from '../../../bench/reliability/hostile-targets/hold.ts'

/** A sample of `npm run hostile`: what broke a run once, and a few that end soon. */
const sample = [
  ['good events without end', conformanceAttempt],
  ['one event that is large', conformanceAttempt],
  ['models without end', conformanceAttempt],
  ['headers without end', conformanceAttempt],
  ['a redirect to another origin', conformanceAttempt],
  ['the key of the caller', conformanceAttempt],
  ['good events without end', loadAttempt],
  ['an answer that is cut', loadAttempt],
] as const

const behaviours = generateBehaviours(1, kindCount)

test.concurrent.each(sample)(
  'against %s, a command ends, in little memory, with the key in no output',
  async (about, attempt) => {
    const [behaviour] = behaviours.filter((one) => one.about === about)
    if (behaviour === undefined) throw new Error(`nothing is called "${about}"`)
    const { problems, said } = await hold(behaviour, attempt(drawFrom(1), 1))
    expect(problems, said).toEqual([])
  },
)
