import { type Html, html } from '../../src/markup/html.ts'
import type { Column } from '../results.ts'

/** The checks on which two versions or servers differ, where both decided them. */
export interface Change {
  readonly broken: readonly string[]
  readonly mended: readonly string[]
}

export function changeBetween(before: Column, after: Column): Change {
  const was = new Map(before.results.map(({ id, verdict }) => [id, verdict]))
  const ids = (from: string, to: string): readonly string[] =>
    after.results.filter(({ id, verdict }) => verdict === to && was.get(id) === from).map(({ id }) => id)
  return { broken: ids('pass', 'fail'), mended: ids('fail', 'pass') }
}

export function changedList({ broken, mended }: Change, words = { broken: 'Fails now', mended: 'Mended' }): Html {
  const part = (name: string, ids: readonly string[]): Html =>
    ids.length === 0 ? html`` : html` ${name}: ${ids.join(', ')}.`
  if (broken.length + mended.length === 0) return html`No verdict differs.`
  return html`${part(words.broken, broken)}${part(words.mended, mended)}`
}
