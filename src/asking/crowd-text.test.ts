import { describe, expect, test } from 'vitest'
import { createExpect, Mismatch } from '../check/expect.ts'
import type { StreamAnswer } from '../target/answer.ts'
import type { Crowd, Prompt } from './crowd.ts'
import { holdCrowdText } from './crowd-text.ts'

const size = 16

const ownText = (nonce: string): string => `There is a lamp for ${nonce}, and rain on the pier behind it.`

const answer = (content: string): StreamAnswer =>
  ({ status: 200, content, events: [], chunks: [] }) as unknown as StreamAnswer

function crowdOf(textOf: (prompt: Prompt, index: number) => string, turn = 0): Crowd {
  const prompts = Array.from({ length: size }, (_, index): Prompt => {
    const nonce = `n${turn}x${String(index).padStart(3, '0')}`
    return { nonce, messages: [{ role: 'user', content: nonce }] }
  })
  return { prompts, streams: prompts.map((prompt, index) => answer(textOf(prompt, index))) }
}

interface Told {
  /** What a prompt gets in the first crowd, and in later ones. */
  readonly among: (nonce: string, index: number, turn: number) => string
  readonly alone?: (nonce: string, asked: number) => string
}

async function verdictOn({ among, alone = ownText }: Told): Promise<unknown> {
  let asked = 0
  const context = {
    expect: createExpect(() => {}),
    undecidable: (reason: string) => new Error(reason),
    askStream: async (body: unknown) => {
      const [message] = (body as { messages: readonly { content: string }[] }).messages
      asked += 1
      return answer(alone(message?.content ?? '', asked))
    },
  }
  const crowd = (turn: number): Crowd => crowdOf(({ nonce }, index) => among(nonce, index, turn), turn)
  return holdCrowdText(context, crowd(0), async () => crowd(1)).catch((error: unknown) =>
    error instanceof Mismatch ? 'departed' : 'undecided',
  )
}

test('texts that are the same among others are counted', async () => {
  expect(await verdictOn({ among: ownText })).toBe(8)
})

describe('a departure', () => {
  test.each<[string, Told['among']]>([
    ['words are lost', (nonce) => ownText(nonce).replace('lamp ', '')],
    ['ends are lost', (nonce) => ownText(nonce).slice(0, -9)],
    ['nothing is left', () => ''],
    ['all get the text of the last', () => ownText('n0x015')],
    ['all get one text that has nothing of their own', () => 'We moved past old boats, quickly.'],
    ['every fourth loses words', (nonce, index) => ownText(nonce).slice(index % 4 === 0 ? 8 : 0)],
  ])('is that %s', async (_, among) => {
    expect(await verdictOn({ among })).toBe('departed')
  })
})

describe('no departure', () => {
  const other = (nonce: string): string => `Nobody but ${nonce} waited outside while the boats moved past.`

  test.each<[string, Told, unknown]>([
    ['other words when the model is busy', { among: other }, 0],
    ['one text in a crowd that is shorter', { among: (nonce, index) => ownText(nonce).slice(index === 0 ? 9 : 0) }, 7],
    ['shorter texts in one crowd of two', { among: (nonce, _, turn) => ownText(nonce).slice(turn === 0 ? 9 : 0) }, 0],
    [
      'a model that says nothing now and then, alone too',
      {
        among: (nonce, index) => (index % 4 === 0 ? '' : ownText(nonce)),
        alone: (nonce, asked) => (asked % 11 === 10 ? '' : ownText(nonce)),
      },
      'undecided',
    ],
    [
      'two nodes of which the second has one text for all',
      { among: () => 'Busy.', alone: () => 'You are welcome.' },
      0,
    ],
  ])('is %s', async (_, told, verdict) => {
    expect(await verdictOn(told)).toBe(verdict)
  })
})
