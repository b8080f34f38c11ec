import fc from 'fast-check'
import type { MarkedExchange, Message } from './marked-exchange.ts'

/** What text is made of: everything that programs on its way are known to change. */
const pieces = [
  ...['a', 'B', ' ', '  ', '\n', '\r\n', '\t', '0', '1.0', 'null', '{"a": 1}', 'data: ', '[DONE]', ': '],
  ...[
    'Zoë',
    'e\u0301',
    'ﬁ',
    '½',
    '日本',
    '👩‍💻',
    '\u200f',
    '﷽',
    '&amp;',
    '<b>',
    '"',
    "'",
    '\\n',
    '\\',
    '/',
    '%20',
    '$&',
    '{{x}}',
  ],
  'long '.repeat(300),
]

/** No stop sequence may occur in a text, so all of them hold a letter that texts do not. */
const stopLetter = '§'

const text = fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((some) => some.join(''))
/** An empty message is open, and a blank one may be taken for empty. */
const spoken = text.filter((one) => one.trim() !== '')
/** Fractions that every float holds exactly. */
const sixteenths = (most: number): fc.Arbitrary<number> => fc.integer({ min: 1, max: most * 16 }).map((n) => n / 16)
const sequence = text.map((one) => stopLetter + one)
const stop = fc.oneof(sequence, fc.uniqueArray(sequence, { minLength: 1, maxLength: 4 }))

/** Roles change from message to message: models differ in whether they take two of one role in a row. */
const history = fc
  .tuple(fc.option(spoken, { nil: undefined }), fc.array(fc.tuple(spoken, spoken), { maxLength: 4 }))
  .map(([system, turns]): readonly Message[] => [
    ...(system === undefined ? [] : [{ role: 'system' as const, content: system }]),
    ...turns.flatMap(([asked, said]): Message[] => [
      { role: 'user', content: asked },
      { role: 'assistant', content: said },
    ]),
  ])

/** Any exchange of which a gateway may change nothing. */
export const anyExchange: fc.Arbitrary<MarkedExchange> = fc.record({
  name: fc.constant('any'),
  history,
  around: fc.tuple(text, text),
  parameters: fc.record(
    { temperature: fc.oneof(fc.constant(0), sixteenths(2)), top_p: sixteenths(1), stop },
    { requiredKeys: [] },
  ),
  fragments: fc.array(fc.oneof(fc.constantFrom(...pieces), text), { maxLength: 8 }),
  finishReason: fc.constantFrom('stop', 'length'),
})
