import { expect, test } from 'vitest'
import { growthProblems, type Sample } from '../../../bench/reliability/soak/growth.ts'

const gone: Sample = { memoryMb: 120, descriptors: 40 }
const course = (memoryMb: (at: number) => number, descriptors: (at: number) => number = () => 470): Sample[] =>
  Array.from({ length: 40 }, (_, at) => ({ memoryMb: memoryMb(at), descriptors: descriptors(at) }))

test('a process that warms up and then stays as it is has no problem', () => {
  const warming = course((at) => (at < 10 ? 100 + at * 6 : 160 + (at % 7)))
  expect(growthProblems(warming, gone)).toEqual([])
})

test('what grows until the end, is too much or stays behind is told', () => {
  expect(
    growthProblems(
      course((at) => 120 + at),
      gone,
    ),
  ).toEqual(['its memory grew from 135 to 155 MB'])
  expect(
    growthProblems(
      course((at) => (at === 20 ? 230 : 150)),
      gone,
    ),
  ).toEqual(['its resident memory reached 230 MB'])
  expect(
    growthProblems(
      course(
        () => 150,
        (at) => 400 + at * 3,
      ),
      gone,
    ),
  ).toEqual(['its descriptors grew from 445 to 505'])
  expect(
    growthProblems(
      course(() => 150),
      { ...gone, descriptors: 240 },
    ),
  ).toEqual(['240 descriptors are open though everybody has gone'])
})
