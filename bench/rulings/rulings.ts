import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { packageFolder, readFixture } from '../../src/fixtures.ts'

/**
 * What a failure of a real server was found to be, by hand, from its exchange: `true`; an `echo` of another failure of the
 * run; `wrong`, because the server is right; or `overreach`, because nothing demands it.
 */
export const classes = ['true', 'echo', 'wrong', 'overreach'] as const

interface Judged {
  readonly check: string
  /** The decisive exchange, in a line. */
  readonly exchange: string
}

export type Ruling = Judged &
  (
    | { readonly class: 'true' }
    /** `of` is the failure that it follows from. */
    | { readonly class: 'echo'; readonly of: string }
    /** `variant` is the legal variant that does what the server did, so that no check fails on it again. */
    | { readonly class: 'wrong' | 'overreach'; readonly variant: string }
    /** It was Assay's own nodes that behaved as no engine does: `test` is the title of the test that holds them. */
    | { readonly class: 'wrong' | 'overreach'; readonly test: string }
  )

/** The rulings on one version of a server. */
export interface RuledServer {
  readonly name: string
  /** With the exact version. */
  readonly server: string
  /** Its folder in `results/`, as SERVER/VERSION. */
  readonly column: string
  /** ISO 8601. */
  readonly judged: string
  readonly rulings: readonly Ruling[]
}

/** `fixtures/rulings/*.yaml`, in the order of their names. */
export function readRulings(): readonly RuledServer[] {
  return readdirSync(join(packageFolder, 'fixtures', 'rulings'))
    .sort()
    .map((file) => ({
      name: file.replace(/\.yaml$/, ''),
      // Every value is a text: `true` is a class, and a version is no number.
      ...parse(readFixture('rulings', file), { schema: 'failsafe' }),
    }))
}
