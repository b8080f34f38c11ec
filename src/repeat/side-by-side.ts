const atOnce = 4

/**
 * Looks at each value, four at a time: one after the other, a check of twenty values would go on for twenty answers, with nothing
 * beside it in the end. Throws what went wrong with the first of the values, in their order, once none is under way.
 */
export async function sideBySide<T>(values: readonly T[], look: (value: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < values.length; from += atOnce) {
    const looks = await Promise.allSettled(values.slice(from, from + atOnce).map(look))
    for (const one of looks) if (one.status === 'rejected') throw one.reason
  }
}
