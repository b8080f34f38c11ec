import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { deriveKey } from '../../../reference-server/keys/key.ts'
import { packageFolder, version } from '../../../src/fixtures.ts'
import { run, type Server } from '../server.ts'

/** Assay's own gateway, between the same client and the same nodes as the others. */
export const reference: Server = {
  name: 'reference',
  title: 'Assay reference gateway',
  kind: 'gateway',
  from: 'this repository',
  versions: [version],
  nodes: 2,
  options: () => ['--model', 'small'],
  // The key of --demo is always the same for one service name and seed.
  keys: async () => ({ ASSAY_API_KEY: deriveKey('assay', 1, 'first').key }),
  install: (folder) => mkdirSync(folder, { recursive: true }),
  start: (folder, port, nodes) =>
    run(folder, process.execPath, [
      join(packageFolder, 'bin', 'assay.cjs'),
      ...['gateway', '--listen', `127.0.0.1:${port}`, '--store', 'memory', '--demo'],
      ...nodes.flatMap((url) => ['--node', `${url}=small`]),
    ]),
}
