/** What a run has opened or changed through the control API and not undone yet: it would stay if the run ended now. */
export interface OpenThings {
  add(what: string): void
  remove(what: string): void
  /** Tells of everything that is open, whenever that changes. */
  watch(onChange: (all: readonly string[]) => void): void
}

export function createOpenThings(): OpenThings {
  const all: string[] = []
  let tell: (all: readonly string[]) => void = () => {}
  return {
    add(what) {
      all.push(what)
      tell([...all])
    },
    remove(what) {
      // Two checks may have changed the same: each takes back its own.
      const at = all.indexOf(what)
      if (at >= 0) all.splice(at, 1)
      tell([...all])
    },
    watch(onChange) {
      tell = onChange
    },
  }
}
