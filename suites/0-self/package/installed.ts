import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageFolder } from '../../../src/fixtures.ts'
import { shellOk } from './shell.ts'

/** The package, packed once, and empty folders to install it in. */
export interface Packed {
  readonly tarball: string
  /** A new folder inside that of this run. */
  folder(name: string): string
  /** A project with the package and one release of Node; `bin` is the folder of both commands. */
  project(name: string, node: string): Promise<{ readonly folder: string; readonly bin: string }>
  remove(): void
}

export async function pack(): Promise<Packed> {
  const root = mkdtempSync(join(tmpdir(), 'assay-package-'))
  await shellOk(`npm pack --pack-destination ${root}`, { cwd: packageFolder })
  const [name = ''] = readdirSync(root).filter((file) => file.endsWith('.tgz'))
  const tarball = join(root, name)
  const folder = (child: string): string => {
    mkdirSync(join(root, child))
    return join(root, child)
  }
  return {
    tarball,
    folder,
    async project(child, node) {
      const project = folder(child)
      writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module","allowScripts":{"node":true}}')
      await shellOk(`npm install --no-audit --no-fund ${tarball} node@${node}`, { cwd: project })
      return { folder: project, bin: join(project, 'node_modules', '.bin') }
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
