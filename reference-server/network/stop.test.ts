import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { stopMatcher } from './stop.ts'

function run(fragments: readonly string[], sequences: readonly string[]) {
  const matcher = stopMatcher(sequences)
  let text = ''
  for (const fragment of fragments) {
    const result = matcher.push(fragment)
    text += result.text
    if (result.stopped) return { text, stopped: true }
  }
  const last = matcher.end()
  return { text: text + last.text, stopped: last.stopped }
}

/** Slow and obvious: code points as numbers, every place, every sequence. */
function earliest(text: string, sequences: readonly string[]): number {
  const characters = [...text]
  const matches = (at: number, wanted: readonly string[]) =>
    wanted.every((one, index) => characters[at + index] === one)
  return characters.findIndex((_, at) => sequences.some((sequence) => matches(at, [...sequence])))
}

describe('stopMatcher', () => {
  test('lets everything through without sequences', () => {
    expect(run(['one', ' two'], [])).toEqual({ text: 'one two', stopped: false })
  })

  test('finds a sequence across fragment borders and leaves it out', () => {
    expect(run(['one <', 'en', 'd> two'], ['<end>'])).toEqual({ text: 'one ', stopped: true })
  })

  test('holds back only what may begin a sequence', () => {
    const matcher = stopMatcher(['<end>'])
    expect(matcher.push('one <e').text).toBe('one ')
    expect(matcher.push('gg').text).toBe('<egg')
  })

  test('flushes a beginning that came to nothing', () => {
    expect(run(['one <en'], ['<end>'])).toEqual({ text: 'one <en', stopped: false })
  })

  test('the earliest start wins, even over a match that is complete sooner', () => {
    expect(run(['abcd'], ['bc', 'abcd'])).toEqual({ text: '', stopped: true })
    expect(run(['abce'], ['bc', 'abcd'])).toEqual({ text: 'a', stopped: true })
    expect(run(['abc'], ['bc', 'abcd'])).toEqual({ text: 'a', stopped: true })
  })

  test('treats characters of regular expressions as themselves', () => {
    expect(run(['a.b', '*c'], ['.*', 'b*'])).toEqual({ text: 'a.', stopped: true })
  })

  test('never splits a pair of surrogates', () => {
    expect(run(['a\ud83d', '\ude00b'], ['\ud83d', '\ude00'])).toEqual({ text: 'a\u{1f600}b', stopped: false })
  })

  test('however the text is cut, the output is the text up to the earliest occurrence', () => {
    const unit = fc.constantFrom('a', 'b', '.', '\u{1f600}', '\ud83d', '\ude00')
    const word = fc.array(unit, { minLength: 1, maxLength: 5 }).map((units) => units.join(''))
    const cut = fc.array(
      fc.array(unit, { maxLength: 6 }).map((units) => units.join('')),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(cut, fc.array(word, { minLength: 1, maxLength: 4 }), (fragments, sequences) => {
        const text = fragments.join('')
        const at = earliest(text, sequences)
        const expected = at === -1 ? text : [...text].slice(0, at).join('')
        expect(run(fragments, sequences)).toEqual({ text: expected, stopped: at !== -1 })
      }),
      { numRuns: 2000 },
    )
  })

  test('ends when a long text and a long sequence repeat themselves', () => {
    // Anything but linear work would outlast the limit of every test.
    const result = run(
      Array.from({ length: 200_000 }, () => 'aaaa'),
      [`${'a'.repeat(500_000)}b`],
    )
    expect(result.text.length).toBe(800_000)
  })
})
