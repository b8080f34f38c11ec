import type { SerializedResult } from '../check/result.ts'
import type { CommandIo } from './command.ts'

export interface Progress {
  show(result: SerializedResult): void
  end(): void
}

/** One line, overwritten while a person watches; nothing when nobody does. */
export function createProgress(total: number, io: CommandIo, quiet: boolean): Progress {
  let done = 0
  let failed = 0
  const watched = io.live && !quiet
  return {
    show({ id, verdict }) {
      done += 1
      if (verdict.kind === 'fail') failed += 1
      if (watched) process.stderr.write(`\r\u001b[2K${done}/${total}${failed === 0 ? '' : `, ${failed} failed`} ${id}`)
    },
    end() {
      if (watched) process.stderr.write('\r\u001b[2K')
    },
  }
}
