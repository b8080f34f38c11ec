import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../../src/fixtures.ts'
import { tableOf } from './blocks.ts'

/** A package of the lock file, as far as others depend on what it says. */
export interface Locked {
  readonly name: string
  readonly version: string
  /** An SPDX expression. */
  readonly license: string
  /** Only those who work on the project install it. */
  readonly dev?: true
  readonly hasInstallScript?: true
}

/** Every package of `package-lock.json` but the project itself, by name and version, each once. */
export function lockedPackages(): readonly Locked[] {
  const { packages } = JSON.parse(readFileSync(join(packageFolder, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Omit<Locked, 'name'>>>
  }
  const all = Object.entries(packages).flatMap(([path, locked]) => {
    const name = path.split('node_modules/').at(-1) ?? ''
    return path === '' ? [] : [{ ...locked, name }]
  })
  const once = new Map(all.map((locked) => [`${locked.name}@${locked.version} ${locked.dev ?? false}`, locked]))
  return [...once.values()].sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version))
}

/** The licences of everything that an installation brings with it, with the packages under each. */
export function licencesInMarkdown(): string {
  const shipped = lockedPackages().filter(({ dev }) => dev !== true)
  const rows = [...Map.groupBy(shipped, ({ license }) => license)]
    .sort(([one, some], [other, more]) => more.length - some.length || compare(one, other))
    .map(([license, some]) => [
      license,
      String(some.length),
      some.map(({ name, version }) => `${name} ${version}`).join(', '),
    ])
  return tableOf(['licence', 'packages', ''], rows)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}
