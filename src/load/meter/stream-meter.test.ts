import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFlight, type Flight } from './flight.ts'
import { StreamMeter } from './stream-meter.ts'

const sampling = { share: 0, draw: () => 0.5 }

/** The flight after these pieces, each read at its index in milliseconds. */
function flown(pieces: readonly Uint8Array[], meter = new StreamMeter(sampling)): Flight {
  const flight = createFlight(0, 0)
  meter.begin(flight)
  pieces.forEach((piece, index) => {
    meter.feed(Buffer.from(piece), 0, piece.length, index)
  })
  meter.finish()
  return flight
}

function stream(events: readonly string[], end = '\n'): Buffer {
  return Buffer.from(events.map((data) => `data: ${data}${end}${end}`).join(''))
}

function chunk(delta: object, more: object = {}): string {
  return JSON.stringify({ id: 'a', choices: [{ index: 0, delta, finish_reason: null }], ...more })
}

const role = chunk({ role: 'assistant', content: '' })
const texts = ['Hel', 'lo "you" \\ \n', ' Zoë', '日本', 'x', ' y'].map((content) => chunk({ content }))
const usage = JSON.stringify({ id: 'a', choices: [], usage: { prompt_tokens: 4, completion_tokens: 7 } })
const whole = [role, ...texts, usage, '[DONE]']

describe('the stream meter', () => {
  test.each([['\n'], ['\r\n'], ['\r']])(
    'finds the same events however the bytes are cut, with lines that end in %j',
    (end) => {
      const bytes = stream(whole, end)
      fc.assert(
        fc.property(fc.array(fc.nat(bytes.length), { maxLength: 60 }), (cuts) => {
          const places = [0, ...cuts.sort((one, other) => one - other), bytes.length]
          const flight = flown(places.slice(1).map((to, at) => bytes.subarray(places[at], to)))
          expect(flight).toMatchObject({
            outcome: undefined,
            events: 9,
            contentEvents: 6,
            completionTokens: 7,
            promptTokens: 4,
          })
        }),
      )
    },
  )

  test('stamps the first event, the first and second content and the end by their reads', () => {
    const pieces = whole.map((data) => stream([data]))
    const meter = new StreamMeter(sampling)
    const flight = flown(pieces, meter)
    expect(flight).toMatchObject({
      firstEventAtMs: 0,
      firstContentAtMs: 1,
      secondContentAtMs: 2,
      lastContentAtMs: 6,
      doneAtMs: 8,
    })
    const gaps: number[] = []
    meter.gaps.forEach((gapMs) => {
      gaps.push(gapMs)
    })
    expect(gaps).toEqual([1, 1, 1, 1, 1])
  })

  test('lets comments, other fields, data without a space and data of several lines pass', () => {
    const bytes = Buffer.from(
      `: hello\n\nevent: message\nid: 7\ndata:${texts[0]}\n\n: ping\ndata: {"id":"a",\ndata: "choices":[{"index":0,"delta":{"content":"b"}}]}\n\nretry: 10\n\ndata: [DONE]\n\n`,
    )
    expect(flown([bytes])).toMatchObject({ outcome: undefined, contentEvents: 2, events: 3 })
  })

  test.each([
    ['noDone', [role, ...texts]],
    ['schema', [role, '{"id":"a"', '[DONE]']],
    ['schema', [role, '{"id":"a","choices":5}', '[DONE]']],
    ['schema', [role, ...texts, chunk({ content: 'x' }, { id: 'b' }), '[DONE]']],
    ['inBandError', [role, texts[0] ?? '', '{"error":{"message":"died"}}']],
    ['framing', [role, ...texts, '[DONE]', texts[0] ?? '']],
    ['framing', [role, '[DONE]', '[DONE]']],
  ])('calls it %s', (outcome, events) => {
    expect(flown([stream(events)], new StreamMeter({ share: 1, draw: () => 0 }))).toMatchObject({ outcome })
  })

  test('sees an error behind a hundred good chunks without parsing them', () => {
    const many = Array.from({ length: 100 }, (_, at) => chunk({ content: `word${at} ` }))
    expect(flown([stream([role, ...many, '{"error":"died"}'])])).toMatchObject({
      outcome: 'inBandError',
      contentEvents: 100,
    })
  })

  test('bytes that are no UTF-8 inside a text that fits the template are seen', () => {
    const bytes = Buffer.concat([stream([role, ...texts]), Buffer.from(`data: ${chunk({ content: 'Z@' })}\n\n`)])
    bytes[bytes.lastIndexOf('@')] = 0xff
    expect(flown([bytes], new StreamMeter({ share: 1, draw: () => 0 }))).toMatchObject({ outcome: 'framing' })
  })

  test('reads the usage of a last content chunk that differs from all others', () => {
    const differing = Array.from({ length: 8 }, (_, at) =>
      chunk({ content: `w${at} ` }, { usage: { prompt_tokens: 4, completion_tokens: at + 1 } }),
    )
    expect(flown([stream([role, ...differing, '[DONE]'])])).toMatchObject({ completionTokens: 8, contentEvents: 8 })
  })

  test('tells the texts and the moments of content', () => {
    const told: [string, number][] = []
    const meter = new StreamMeter({ share: 0, draw: () => 0.5, onContent: (text, atMs) => told.push([text, atMs]) })
    const events = Array.from({ length: 7 }, (_, at) => chunk({ content: `${at}.5 ` }))
    flown(
      [...events, '[DONE]'].map((data) => stream([data])),
      meter,
    )
    expect(told).toEqual(events.map((_, at) => [`${at}.5 `, at]))
  })
})
