/** What closes the parts that have been opened so far, in the order of opening. */
export type Closers = (() => unknown)[]

/** Closes the last first, each once. A part that cannot be closed keeps no other open; the first error is thrown at the end. */
export async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = []
  for (let close = closers.pop(); close !== undefined; close = closers.pop()) {
    try {
      await close()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** What `open` makes. Where it fails, what it had opened is closed again, and its own error is thrown; `onBug` is told what could not be closed. */
export async function openOrClose<Opened>(
  open: (closers: Closers) => Promise<Opened>,
  onBug: (error: unknown) => void,
): Promise<Opened> {
  const closers: Closers = []
  try {
    return await open(closers)
  } catch (error) {
    await closeAll(closers).catch(onBug)
    throw error
  }
}
