/** Something that the gateway needs, and that may fail for a while. */
interface Needed {
  /** Why it cannot be relied on now, if so. */
  trouble(): string | undefined
}

const LOOK_MS = 200

/** Tells of each trouble once, and once when it is over (`undefined`). Returns what ends the watch. */
export function watchTrouble(needed: readonly Needed[], onChange: (trouble: string | undefined) => void): () => void {
  let last: string | undefined
  const timer = setInterval(() => {
    const trouble = needed.map((one) => one.trouble()).find((one) => one !== undefined)
    if ((trouble === undefined) !== (last === undefined)) onChange(trouble)
    last = trouble
  }, LOOK_MS)
  timer.unref()
  return () => clearInterval(timer)
}
