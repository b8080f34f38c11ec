import { describe, expect, test } from 'vitest'
import { excerptAround } from './excerpt.ts'

const chunk = (role: string): string => `data: {"choices":[{"index":0,"delta":{"role":"${role}","content":"a"}}]}\n\n`
const stream = `${chunk('assistant').repeat(40)}${chunk('user')}${chunk('assistant').repeat(40)}`

describe('an excerpt', () => {
  test.each([
    ['the value of a field that the failure names', 'role of a delta', '"user"', '"role":"user"'],
    ['a number in such a field, and no longer one', 'total_tokens', '12', '"total_tokens": 12'],
    ['a text with escapes', 'a stack trace', '"at serve \\"x\\""', 'at serve \\"x\\"'],
    ['a text without them', 'body of an error', '"<p>\\n\\"no\\"</p>"', '<p>\n"no"</p>'],
    ['a text of a list', 'lines without data:', '["{\\"a\\":1}","b"]', '{"a":1}'],
    ['the part of a long text that is shown', 'text', '…beyond the limit… (900 characters)', 'beyond the limit'],
  ])('marks %s', (_, what, actual, marked) => {
    const body = `${chunk('user')}{"prompt_tokens": 12, "total_tokens": 123}, {"total_tokens": 12}
at serve \\"x\\" <p>\n"no"</p> {"a":1} beyond the limit`
    const excerpt = excerptAround(body, { what, actual }, 4000)
    expect(excerpt.marked).toBe(marked)
    expect(excerpt.before + excerpt.marked + excerpt.after).toBe(body)
  })

  test.each([
    ['a word that may stand anywhere', 'whether [DONE] was sent', 'false'],
    ['a number without its field', 'status', '200'],
    ['a text that stands there twice', 'the text', '"again"'],
    ['nothing', 'id', 'nothing'],
  ])('marks nothing for %s', (_, what, actual) => {
    const body = '{"ok": false, "count": 200, "says": "again", "repeats": "again", "is": "nothing"}'
    expect(excerptAround(body, { what, actual }, 4000)).toEqual({ before: body, marked: '', after: '' })
  })

  test('of a long body shows what surrounds the place', () => {
    const { before, marked, after } = excerptAround(stream, { what: 'role of a delta', actual: '"user"' }, 400)
    expect(marked).toBe('"role":"user"')
    expect(before).toMatch(/^….*"role":"assistant"/s)
    expect(after).toMatch(/"role":"assistant".*…\n\(\d+ characters in all\)$/s)
    expect((before + marked + after).length).toBeLessThan(450)
  })

  test('of a long body whose place is not known shows the beginning and the end', () => {
    const { before, marked } = excerptAround(`begin${stream}end`, { what: 'times [DONE] was sent', actual: '2' }, 400)
    expect(marked).toBe('')
    expect(before).toMatch(/^begin.*…\n\(\d+ characters in all\)\n….*end$/s)
    expect(before.length).toBeLessThan(450)
  })

  test('of a place that is long itself shows its beginning', () => {
    const excerpt = excerptAround(`a ${'x'.repeat(900)} b`, { what: 'text', actual: `"${'x'.repeat(900)}"` }, 100)
    expect(excerpt).toMatchObject({ before: '…', marked: `${'x'.repeat(100)}…` })
  })
})
