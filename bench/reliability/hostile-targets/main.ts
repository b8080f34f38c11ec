import { parseArgs } from 'node:util'
import { drawFrom } from '../draw.ts'
import { keepFigures } from '../figures.ts'
import { conformanceAttempt, loadAttempt } from './attempts.ts'
import type { Behaviour } from './behaviour.ts'
import { generateBehaviours } from './generate.ts'
import { type Attempt, type Held, hold } from './hold.ts'

/**
 * `npm run hostile [-- --seed N --count N --only TEXT]`: conformance and load, each against generated hostile targets. Each must end within
 * its time budget, under 512 MB, with a right exit code, and with the key in no output. A whole run keeps its figures.
 */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '400' },
    only: { type: 'string', default: '' },
  },
})
const maxTimeS = 4
const durationS = 2
const lateMsMax = 5000

const draw = drawFrom(Number(values.seed))
const tries = generateBehaviours(Number(values.seed), Number(values.count))
  .map((behaviour, at) => ({
    behaviour,
    // A load reads only streams or replies: most of what can be spoilt is what the checks read.
    attempt: at % 3 === 2 ? loadAttempt(draw, durationS) : conformanceAttempt(draw, maxTimeS),
  }))
  .filter(({ behaviour }) => behaviour.name.includes(values.only))

interface Done {
  readonly behaviour: Behaviour
  readonly attempt: Attempt
  readonly held: Held
}

const done: Done[] = []
for (const { behaviour, attempt } of tries) {
  const held = await hold(behaviour, attempt)
  const { exitCode, lateMs, peakMb, said } = held
  const problems = lateMs > lateMsMax ? [...held.problems, 'too late'] : held.problems
  done.push({ behaviour, attempt, held: { ...held, problems } })
  const isHeld = problems.length === 0
  const words = `${attempt.args[0]} exit ${exitCode}, ${Math.round(lateMs)} ms late, ${Math.round(peakMb)} MB`
  process.stdout.write(`${isHeld ? 'ok  ' : 'FAIL'} ${behaviour.name}: ${words}\n`)
  if (!isHeld) process.stdout.write(`     ${[...problems, attempt.args.join(' '), said].join('\n     ')}\n`)
}
const broken = done.filter(({ held }) => held.problems.length > 0)
process.stdout.write(`${done.length - broken.length} of ${done.length} held\n`)
process.exitCode = broken.length === 0 && done.length > 0 ? 0 : 1

if (values.only === '') {
  keepFigures('hostile-targets', {
    command: 'npm run hostile',
    head: ['answers', 'command', 'tried', 'held', 'exit codes', 'most memory', 'latest after its time'],
    rows: [...Map.groupBy(done, ({ behaviour, attempt }) => `${behaviour.family}|${attempt.args[0]}`)]
      .map(([group, own]) => [...group.split('|'), ...figuresOf(own.map(({ held }) => held))])
      .sort(),
  })
}

function figuresOf(own: readonly Held[]): readonly string[] {
  const most = (of: (held: Held) => number): number => Math.round(Math.max(...own.map(of)))
  return [
    String(own.length),
    String(own.filter(({ problems }) => problems.length === 0).length),
    [...new Set(own.map(({ exitCode }) => String(exitCode)))].sort().join(', '),
    `${most(({ peakMb }) => peakMb)} MB`,
    `${most(({ lateMs }) => lateMs)} ms`,
  ]
}
