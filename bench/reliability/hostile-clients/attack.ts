import { inputOf } from './generate.ts'
import type { Gateway, Surface } from './input.ts'
import { problemOf } from './judge.ts'
import { type Line, openLine } from './line.ts'

/** An input that the gateway did not take as it should. */
export interface Finding {
  readonly number: number
  readonly about: string
  readonly problem: string
  readonly sent: string
}

/** What was sent and answered, for each kind. */
export interface Tally {
  inputs: number
  readonly statuses: Set<number>
}

export interface Attack {
  readonly seed: number
  readonly from: number
  readonly count: number
  readonly clients: number
}

/** Sends the inputs of these numbers, from so many clients at a time. */
export async function attack(
  gateway: Gateway,
  { seed, from, count, clients }: Attack,
  tallies: Map<string, Tally>,
): Promise<readonly Finding[]> {
  const findings: Finding[] = []
  let next = from
  async function client(): Promise<void> {
    const lines = new Map<Surface, Line>()
    for (let number = next++; number < from + count; number = next++) {
      const input = inputOf(seed, number, gateway)
      const line = lines.get(input.surface) ?? openLine(gateway.ports[input.surface])
      lines.set(input.surface, line)
      const heard = await line.send(input)
      const tally = tallies.get(input.about) ?? { inputs: 0, statuses: new Set() }
      tallies.set(input.about, tally)
      tally.inputs += 1
      for (const { status } of heard.replies) tally.statuses.add(status)
      const problem = problemOf(input, heard, gateway)
      if (problem !== undefined)
        findings.push({ number, about: input.about, problem, sent: input.bytes.toString('latin1').slice(0, 1000) })
    }
    for (const line of lines.values()) line.close()
  }
  await Promise.all(Array.from({ length: clients }, client))
  return findings
}
