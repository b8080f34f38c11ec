import type { Rule } from './rules.ts'

/** Asks until an answer is right or the rule is used up. Resolves to that answer, or to the last wrong one. */
export async function untilRight<T>(
  { times }: Pick<Rule, 'times'>,
  ask: (turn: number) => Promise<T>,
  isRight: (answer: T) => boolean,
): Promise<T> {
  let answer = await ask(0)
  for (let turn = 1; turn < times && !isRight(answer); turn += 1) answer = await ask(turn)
  return answer
}

/** The answers to one request, made this many times, one after the other. */
export async function inTurn<T>(times: number, ask: (turn: number) => Promise<T>): Promise<readonly T[]> {
  const answers: T[] = []
  for (let turn = 0; turn < times; turn += 1) answers.push(await ask(turn))
  return answers
}

/** The answers up to and including the first that ends the series, or this many. */
export async function inTurnUntil<T>(
  times: number,
  ask: (turn: number) => Promise<T>,
  isLast: (answer: T, all: readonly T[]) => boolean,
): Promise<readonly T[]> {
  const answers: T[] = []
  for (let turn = 0; turn < times; turn += 1) {
    const answer = await ask(turn)
    answers.push(answer)
    if (isLast(answer, answers)) break
  }
  return answers
}

export type Finding = 'right' | 'wrong' | 'chance'

/**
 * Whether something is wrong by a rule. `wrong`: it was wrong often enough, and the plain request was right often
 * enough. `chance`: it was wrong, but may be so by itself.
 */
export async function finding(
  { times, wrongMin = times, controls }: Rule,
  isWrong: (turn: number) => Promise<boolean>,
  isControlWrong: () => Promise<boolean> = async () => false,
): Promise<Finding> {
  if (!(await isWrong(0))) return 'right'
  let wrong = 1
  for (let turn = 1; turn < times && wrong < wrongMin && wrong + times - turn >= wrongMin; turn += 1)
    if (await isWrong(turn)) wrong += 1
  if (wrong < wrongMin) return wrongMin === times ? 'right' : 'chance'
  let controlsWrong = 0
  for (let turn = 0; turn < (controls?.times ?? 0); turn += 1) {
    if (await isControlWrong()) controlsWrong += 1
    if (controlsWrong > (controls?.wrongMax ?? 0)) return 'chance'
  }
  return 'wrong'
}
