import { randomInt } from 'node:crypto'

const letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Digits and letters of both cases, as several engines draw their ids. */
export function randomLetters(length: number): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}
