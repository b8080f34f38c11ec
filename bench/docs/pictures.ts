import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { wrapsNamed } from '../../detection/catalogue.ts'
import { type RunningGateway, startGateway } from '../../reference-server/main.ts'
import { packageFolder } from '../../src/fixtures.ts'
import { chromiumPath } from '../../suites/0-self/browser/machine.ts'
import { readColumns } from '../results.ts'
import { siteOf } from '../site/site.ts'
import { fillBlocks } from './blocks.ts'
import { readPage } from './pages.ts'
import { terminalSvg } from './terminal-svg.ts'

/**
 * `npm run pictures`: runs the command against gateways that are wrong on purpose, and makes the pictures of the pages and
 * the sample of the README of what it says. Needs a Chromium, and the `script` of util-linux, which is a terminal.
 */
const folder = join(packageFolder, 'docs', 'pictures')
const port = 8080
const command = join(packageFolder, 'bin', 'assay.cjs')
const bytesMax = 120_000
/** What a page shows of what a terminal of a hundred columns says. */
const columns = 100
const viewport = { width: 1100, height: 760 }

const scratch = mkdtempSync(join(tmpdir(), 'assay-pictures-'))
mkdirSync(folder, { recursive: true })
try {
  await sampleOfTheReadme()
  await pictureOfARun()
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
  try {
    await pictureOfAReport(browser)
    await pictureOfTheDashboard(browser)
    await pictureOfTheMatrix(browser)
  } finally {
    await browser.close()
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** One failing check in words: the command as it is called outside a checkout, and what it says, long lines cut. */
async function sampleOfTheReadme(): Promise<void> {
  await withFaults(['temperature-three-accepted'], async (gateway) => {
    const only = 'temperature.above-range-refused'
    const args = ['conformance', '--base-url', gateway.baseUrl, '--only', only, '--quiet']
    const { out } = await assay(args, gateway)
    const shown = out
      .replaceAll('node bin/assay.cjs', 'npx inference-assay')
      .trim()
      .split('\n')
      .map((line) => (line.length > 150 ? `${line.slice(0, 149)}…` : line))
    const sample = ['```console', `$ npx inference-assay ${args.join(' ')}`, ...shown, '```'].join('\n')
    writeFileSync(join(packageFolder, 'README.md'), fillBlocks(readPage('README.md'), new Map([['sample', sample]])))
  })
}

/** A whole run with one failure, in its colours. */
async function pictureOfARun(): Promise<void> {
  await withFaults(['stop-sequence-included'], async (gateway) => {
    const args = `conformance --base-url ${gateway.baseUrl} --control ${gateway.control?.url} --level should --seed 1`
    const { out } = await terminal(args, gateway)
    save('run.svg', terminalSvg(`$ npx inference-assay ${args}\n${out}`, columns))
  })
}

async function pictureOfAReport(browser: Browser): Promise<void> {
  const faults = ['sse-no-done', 'temperature-three-accepted', 'stop-sequence-included']
  await withFaults(faults, async (gateway) => {
    const page = join(scratch, 'assay.html')
    const where = ['--base-url', gateway.baseUrl, '--control', gateway.control?.url ?? '']
    await assay(['conformance', ...where, '--seed', '1', '--report', `html=${page}`], gateway)
    const opened = await browser.newPage({ viewport })
    await opened.goto(`file://${page}`)
    await shoot(opened, 'report.png')
  })
}

async function pictureOfTheDashboard(browser: Browser): Promise<void> {
  const gateway = await startGateway({ port, demo: true, pace: 'profile', dashboard: {} })
  const { email = '', password = '' } = gateway.demo?.person ?? {}
  const root = gateway.dashboard?.url ?? ''
  try {
    const page = await browser.newPage({ viewport })
    await page.goto(`${root}sign-in`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('main').getByRole('button').click()
    await page.setViewportSize({ ...viewport, height: 960 })
    await page.goto(`${root}usage`)
    await shoot(page, 'dashboard.png')
  } finally {
    await gateway.close()
  }
}

/** What breaks the format, server by server, as the front page of the site has it. */
async function pictureOfTheMatrix(browser: Browser): Promise<void> {
  const site = siteOf(readColumns())
  const page = await browser.newPage({ viewport: { width: 1000, height: 600 } })
  await page.setContent(site.get('index.html') ?? '')
  await page.addStyleTag({ content: site.get('page.css') ?? '' })
  await page.getByRole('heading', { name: 'What breaks the format' }).evaluate((heading) => heading.scrollIntoView())
  await shoot(page, 'matrix.png')
}

async function withFaults(names: readonly string[], use: (gateway: RunningGateway) => Promise<void>): Promise<void> {
  const wraps = wrapsNamed(names)
  const gateway = await startGateway({ port, demo: true, wraps, control: { port: port + 1, token: 'a-token' } })
  try {
    await use(gateway)
  } finally {
    await gateway.close()
  }
}

interface Ended {
  readonly out: string
}

/** The command, its output without colours. */
function assay(args: readonly string[], gateway: RunningGateway): Promise<Ended> {
  return ended(process.execPath, [command, ...args], gateway)
}

/** The command in a terminal, with colours; what was written over is gone. */
async function terminal(args: string, gateway: RunningGateway): Promise<Ended> {
  const line = `stty cols ${columns} rows 60; ${process.execPath} ${command} ${args}`
  const { out } = await ended('script', ['-qec', line, '/dev/null'], gateway)
  const lines = out.replaceAll('\r\n', '\n').split('\n')
  return { out: lines.map((text) => text.slice(text.lastIndexOf('\u001b[2K') + 1).replace(/^\[2K/, '')).join('\n') }
}

function ended(program: string, args: readonly string[], { demo }: RunningGateway): Promise<Ended> {
  const { promise, resolve, reject } = Promise.withResolvers<Ended>()
  const keys = {
    ASSAY_API_KEY: demo?.apiKey,
    ASSAY_SECOND_KEY: demo?.secondKey,
    ASSAY_REVOKED_KEY: demo?.revokedKey,
    ASSAY_UNFUNDED_KEY: demo?.unfundedKey,
    ASSAY_LIMITED_KEY: demo?.limitedKey,
    ASSAY_UNAVAILABLE_MODEL: demo?.unavailableModel,
    ASSAY_CONTROL_TOKEN: 'a-token',
  }
  const child = spawn(program, args, {
    cwd: scratch,
    env: { ...process.env, ...keys, INIT_CWD: scratch, TERM: 'xterm' },
  })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.on('error', reject)
  // Elsewhere the command is named by its path, which says nothing to a reader.
  const shown = (): string => out.replaceAll(scratch, '~').replace(/node \S*bin\/assay\.cjs/g, 'node bin/assay.cjs')
  child.on('close', () => resolve({ out: shown() }))
  return promise
}

async function shoot(page: Page, name: string): Promise<void> {
  save(name, await page.screenshot())
}

function save(name: string, content: string | Uint8Array): void {
  const file = join(folder, name)
  writeFileSync(file, content)
  const { size } = statSync(file)
  if (size > bytesMax) throw new Error(`${name} has ${size} bytes: ${bytesMax} at most`)
  process.stdout.write(`docs/pictures/${name}: ${size} bytes\n`)
}
