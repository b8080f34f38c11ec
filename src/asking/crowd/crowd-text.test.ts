import { describe, expect, test } from 'vitest'
import { createExpect, Mismatch } from '../../check/expect.ts'
import type { StreamAnswer } from '../../target/answer.ts'
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

interface Target {
  /** What a prompt gets in a crowd; the first crowd is turn 0. */
  readonly among: (nonce: string, index: number, turn: number) => string
  readonly byItself?: (nonce: string, asked: number) => string
}

async function verdictOn({ among, byItself = ownText }: Target): Promise<unknown> {
  let asked = 0
  const context = {
    expect: createExpect(() => {}),
    undecidable: (reason: string) => new Error(reason),
    askStream: async (body: unknown) => {
      const [message] = (body as { messages: readonly { content: string }[] }).messages
      asked += 1
      return answer(byItself(message?.content ?? '', asked))
    },
  }
  const crowd = (turn: number): Crowd => crowdOf(({ nonce }, index) => among(nonce, index, turn), turn)
  return holdCrowdText(context, crowd(0), async () => crowd(1)).catch((error: unknown) =>
    error instanceof Mismatch ? 'failed' : 'undecided',
  )
}

test('counts the texts that are the same in a crowd', async () => {
  expect(await verdictOn({ among: ownText })).toBe(8)
})

describe('a crowd fails when', () => {
  test.each<[string, Target['among']]>([
    ['texts lose words', (nonce) => ownText(nonce).replace('lamp ', '')],
    ['texts lose their ends', (nonce) => ownText(nonce).slice(0, -9)],
    ['texts are empty', () => ''],
    ['all streams get the text of the last', () => ownText('n0x015')],
    ['all streams get one text that belongs to none of them', () => 'We moved past old boats, quickly.'],
    ['every fourth text loses words', (nonce, index) => ownText(nonce).slice(index % 4 === 0 ? 8 : 0)],
  ])('%s', async (_, among) => {
    expect(await verdictOn({ among })).toBe('failed')
  })
})

describe('a crowd does not fail because of', () => {
  const other = (nonce: string): string => `Nobody but ${nonce} waited outside while the boats moved past.`

  test.each<[string, Target, unknown]>([
    ['other words when the model is busy', { among: other }, 0],
    ['one shorter text in a crowd', { among: (nonce, index) => ownText(nonce).slice(index === 0 ? 9 : 0) }, 7],
    ['shorter texts in one of two crowds', { among: (nonce, _, turn) => ownText(nonce).slice(turn === 0 ? 9 : 0) }, 0],
    [
      'a model that sometimes says nothing, even without a crowd',
      {
        among: (nonce, index) => (index % 4 === 0 ? '' : ownText(nonce)),
        byItself: (nonce, asked) => (asked % 11 === 10 ? '' : ownText(nonce)),
      },
      'undecided',
    ],
    [
      'two nodes, the second of which has one text for all',
      { among: () => 'Busy.', byItself: () => 'You are welcome.' },
      0,
    ],
  ])('%s', async (_, target, verdict) => {
    expect(await verdictOn(target)).toBe(verdict)
  })
})
