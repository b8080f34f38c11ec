/** Why a cell of the table holds no fault. */
export const reasons = {
  'no-such-thing': 'does not apply to a value of this type',
  'no-such-time': 'does not happen at this time: the value has no place in a list, or is part of one mode only',
  rare: 'shows only in some of many failures or departures, and a run makes only one of each form',
  open: 'the contract leaves it open',
  engines: 'engines refuse the value, so that a gateway may have to replace it',
  unseen: 'changes nothing that anybody could see',
  elsewhere: 'the same as another cell',
} as const satisfies Readonly<Record<string, string>>

export type Reason = keyof typeof reasons
