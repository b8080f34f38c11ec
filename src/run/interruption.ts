import { HarnessError } from '../harness-error.ts'

/** The outcome of some work, unless the signal comes first: then there is nothing to report yet. */
export async function unlessInterrupted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = (): void => reject(new HarnessError('interrupted', 'Interrupted before anything was known.'))
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
