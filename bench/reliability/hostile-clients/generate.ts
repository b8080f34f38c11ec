import { type Draw, drawFrom } from '../draw.ts'
import { chatKinds } from './chats.ts'
import { controlKinds } from './control.ts'
import { formKinds } from './forms.ts'
import type { Gateway, Input, Kind } from './input.ts'
import { guessKinds } from './keys.ts'
import { requestKinds } from './requests.ts'

const kinds: readonly Kind[] = [...requestKinds, ...chatKinds, ...controlKinds, ...formKinds, ...guessKinds]
const inTurn = kinds.flatMap((kind) => Array.from({ length: kind.share }, () => kind))

/** The input of this number: the same for the same seed and gateway. */
export function inputOf(seed: number, number: number, gateway: Gateway): Input & { readonly about: string } {
  const draw: Draw = drawFrom(seed * 0x1000000 + number)
  const { about, make } = draw.pick(inTurn)
  return { about, ...make(draw, gateway) }
}
