import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Got, Order } from './protocol.ts'

/** Tells a client what to do, one order after another. */
export class Orders {
  readonly #command: readonly [string, ...string[]]
  #child: ChildProcess | undefined
  #lines: AsyncIterator<string> | undefined

  constructor(command: readonly [string, ...string[]]) {
    this.#command = command
  }

  /** What came of it. A client that is given up, for a reason, is ended; the next order begins a new process. */
  async carryOut(order: Order, givenUp: Promise<string>): Promise<Got> {
    const lines = this.#lines ?? this.#begin()
    this.#child?.stdin?.write(`${JSON.stringify(order)}\n`)
    const line = await Promise.race([lines.next(), givenUp])
    if (typeof line === 'string') {
      await this.end()
      return { error: line, status: null }
    }
    if (line.done) throw new Error('its process ended')
    return JSON.parse(line.value)
  }

  async end(): Promise<void> {
    const child = this.#child
    this.#child = undefined
    this.#lines = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }

  #begin(): AsyncIterator<string> {
    const [file, ...args] = this.#command
    const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    this.#child = child
    this.#lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    return this.#lines
  }
}
