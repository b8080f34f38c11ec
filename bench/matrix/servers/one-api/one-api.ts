import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run, type Server } from '../../server.ts'
import { oneApiAdmin } from './admin.ts'
import { installEncodings } from './encodings.ts'

/** A gateway in Go with accounts, built from its repository; its keys come from its own administration. */
export const oneApi: Server = {
  name: 'one-api',
  title: 'one-api',
  kind: 'gateway',
  from: 'GitHub',
  versions: ['8df4a267'],
  nodes: 2,
  options: () => ['--api-path', '/v1', '--model', 'small', '--max-time', '240'],
  install(folder, version) {
    if (existsSync(join(folder, 'one-api'))) return
    const source = join(folder, 'source')
    const inSource = (command: string, ...args: string[]): void => {
      execFileSync(command, args, { cwd: source, stdio: 'inherit' })
    }
    mkdirSync(source, { recursive: true })
    inSource('git', 'clone', '--quiet', 'https://github.com/songquanpeng/one-api', '.')
    inSource('git', 'checkout', '--quiet', version)
    // The program embeds its three web pages, which nobody looks at here.
    for (const theme of ['default', 'berry', 'air']) {
      mkdirSync(join(source, 'web', 'build', theme), { recursive: true })
      writeFileSync(join(source, 'web', 'build', theme, 'index.html'), '')
    }
    inSource('go', 'build', '-o', '../one-api', '.')
    installEncodings(join(folder, 'encodings'))
  },
  start(folder, port) {
    rmSync(join(folder, 'one-api.db'), { force: true })
    const env = { TIKTOKEN_CACHE_DIR: join(folder, 'encodings'), SQLITE_PATH: 'one-api.db', GIN_MODE: 'release' }
    return run(folder, './one-api', ['--port', String(port)], env)
  },
  async keys(baseUrl, nodes) {
    const admin = await oneApiAdmin(baseUrl)
    for (const url of nodes) await admin.addChannel(url)
    await admin.setOption('RetryTimes', '2')
    const revoked = await admin.addToken('revoked')
    await admin.deleteToken(revoked)
    return {
      ASSAY_API_KEY: (await admin.addToken('main')).key,
      ASSAY_SECOND_KEY: (await admin.addToken('second')).key,
      ASSAY_REVOKED_KEY: revoked.key,
      ASSAY_UNFUNDED_KEY: (await admin.addToken('unfunded', 0)).key,
    }
  },
}
