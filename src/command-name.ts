import { installation } from './fixtures.ts'

/** Where Assay runs: in a checkout, with the scripts of its package.json, or as an installed package. */
export interface Installation {
  readonly isCheckout: boolean
  readonly scripts: readonly string[]
}

/** How a user calls a command such as `conformance`. Outside a checkout `npx assay` is another package. */
export function commandName(command: string, { isCheckout, scripts }: Installation = installation): string {
  if (!isCheckout) return `npx inference-assay ${command}`
  return scripts.includes(command) ? `npm run ${command} --` : `node bin/assay.cjs ${command}`
}
