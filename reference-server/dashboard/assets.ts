import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

/** A file for browsers. Its name contains the hash of its bytes, so it may be cached forever. */
interface Asset {
  readonly type: string
  readonly bytes: Buffer
  readonly gzipped: Buffer
}

export interface Assets {
  /** The address of the asset with this plain name. */
  url(name: AssetName): string
  /** Finds an asset by the last part of its address. */
  find(hashedName: string): Asset | undefined
}

const folder = join(dirname(findPackageJSON(import.meta.url) ?? '.'), 'fixtures', 'dashboard')
const require = createRequire(import.meta.url)

const sources = {
  'style.css': [require.resolve('@picocss/pico/css/pico.classless.min.css'), join(folder, 'style.css')],
  'plot.css': [require.resolve('uplot/dist/uPlot.min.css')],
  'plot.js': [require.resolve('uplot/dist/uPlot.iife.min.js')],
  'copy.js': [join(folder, 'copy.js')],
  'playground.js': [join(folder, 'playground.js')],
  'operator.js': [join(folder, 'operator.js')],
} as const satisfies Record<string, readonly string[]>

type AssetName = keyof typeof sources

/** Reads every asset once. An asset may be made of several files. */
export function loadAssets(prefix: string): Assets {
  const urls = new Map<string, string>()
  const byName = new Map<string, Asset>()
  for (const [name, files] of Object.entries(sources)) {
    const bytes = Buffer.concat(files.map((file) => readFileSync(file)))
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    const hashed = name.replace('.', `.${hash}.`)
    const type = name.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/javascript; charset=utf-8'
    urls.set(name, `${prefix}/${hashed}`)
    byName.set(hashed, { type, bytes, gzipped: gzipSync(bytes, { level: 9 }) })
  }
  return { url: (name) => urls.get(name) ?? '', find: (hashedName) => byName.get(hashedName) }
}
