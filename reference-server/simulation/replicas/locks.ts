/** Who has locked what. `changes, shared` is the weaker lock of `changes`: several may have it at once. */
export interface Locks {
  /** Takes all of these or none, and returns whether it did. */
  take(owner: object, names: readonly string[]): boolean
  free(owner: object): void
}

const SHARED = ', shared'

export function createLocks(): Locks {
  const owners = new Map<string, Set<object>>()
  const isTaken = (owner: object, name: string): boolean =>
    [...(owners.get(name) ?? [])].some((other) => other !== owner)

  function isFree(owner: object, name: string): boolean {
    const stronger = name.endsWith(SHARED) ? name.slice(0, -SHARED.length) : name
    if (name !== stronger) return !isTaken(owner, stronger)
    return !isTaken(owner, name) && !isTaken(owner, `${name}${SHARED}`)
  }

  return {
    take(owner, names) {
      if (!names.every((name) => isFree(owner, name))) return false
      for (const name of names) owners.set(name, (owners.get(name) ?? new Set()).add(owner))
      return true
    },
    free(owner) {
      for (const [name, some] of owners) if (some.delete(owner) && some.size === 0) owners.delete(name)
    },
  }
}
