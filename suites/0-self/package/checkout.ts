import { packageFolder } from '../../../src/fixtures.ts'
import { shellOk } from './shell.ts'

/** Copies what git tracks in this checkout, so that tests of the copy cannot change it. */
export async function copyCheckout(into: string): Promise<void> {
  const files = 'git ls-files -z --cached --others --exclude-standard'
  await shellOk(`${files} | tar --null --files-from - --create | tar --extract --directory ${into}`, {
    cwd: packageFolder,
  })
}
