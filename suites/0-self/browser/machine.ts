import { existsSync } from 'node:fs'

/** What is missing on this machine, and how to get it. */
export class Missing extends Error {
  override readonly name = 'Missing'
}

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** `ASSAY_CHROMIUM`, or a Chromium where distributions put it. */
export function chromiumPath(): string {
  const found = [process.env['ASSAY_CHROMIUM'] ?? '', ...places].find((path) => path !== '' && existsSync(path))
  if (found === undefined)
    throw new Missing('Chromium is missing: install it (Debian: apt-get install chromium), or set ASSAY_CHROMIUM.')
  return found
}
