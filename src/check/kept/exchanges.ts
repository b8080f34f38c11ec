import { isRecordedWhole, recordedBytesMax } from '../../wire/recorded-exchange.ts'
import { shortened } from '../../wire/shortened.ts'
import type { Exchange } from '../../wire/transcript.ts'

/** The exchanges of one check, as far as its record needs them: every body is as short as it is there. */
export interface KeptExchanges {
  /** One of its own. */
  add(exchange: Exchange): void
  /** One of its own with the control API or with our nodes, which nobody could repeat. */
  addAside(exchange: Exchange): void
  /** One that it judged by, its own or that of another check. */
  witness(exchange: Exchange): void
  /**
   * What others received and it judged by, then its own, and at the end the one that shows its failure: the last one with the target where
   * none does.
   */
  list(shown: Exchange | undefined): readonly Exchange[]
}

/** How many exchanges a failure keeps where passes keep none. */
const lastMax = 12
/** How many exchanges of others a check keeps as its evidence. */
const witnessedMax = 60

/** `all`: whether the evidence of passed checks is kept, too. */
export function keepExchanges(all: boolean): KeptExchanges {
  let own: Exchange[] = []
  // Kept by itself: whoever waits for what a node saw asks it more often than there is room for.
  let last: Exchange | undefined
  const witnessed = new Set<Exchange>()
  const addAside = (exchange: Exchange): void => {
    own.push(shortened(exchange, recordedBytesMax))
    if (!all && own.length > 2 * lastMax) own = own.slice(-lastMax)
  }
  return {
    add(exchange) {
      addAside(exchange)
      last = own.at(-1)
    },
    addAside,
    witness(exchange) {
      // One that is cut in the record would leave the verdict without evidence that it can be drawn from again.
      if (witnessed.size < witnessedMax && isRecordedWhole(exchange)) witnessed.add(exchange)
    },
    list(shown = last) {
      const ordered = new Set([...witnessed, ...own].filter(({ id }) => id !== shown?.id))
      const exchanges = [...ordered, ...(shown === undefined ? [] : [shortened(shown, recordedBytesMax)])]
      return all ? exchanges : exchanges.slice(-lastMax)
    },
  }
}
