import { stringify } from 'yaml'

/** What was learnt of a gateway, as far as a profile says it. */
export interface Found {
  readonly baseUrl: string
  readonly apiPath: string
  readonly models: readonly string[]
  readonly model?: string
  readonly insecure: boolean
  /** Whether headers were given, which may hold keys. */
  readonly hasHeaders: boolean
  /** Whether it answers no one without a key. */
  readonly asksForKey: boolean
}

/** A variable of the environment, and what it is for. */
export interface Variable {
  readonly name: string
  readonly about: string
}

/** A profile of a gateway: what was found, and the variables that hold its keys. */
export function profileText(found: Found, variables: readonly Variable[], knownFailures: string | undefined): string {
  const { baseUrl, apiPath, model, models, insecure } = found
  const width = Math.max(0, ...variables.map(({ name }) => name.length)) + 2
  return [
    '# Options for this gateway, by their names; flags and the environment win over them.',
    '# Keys are never written here. They are read from the environment:',
    ...variables.map(({ name, about }) => `#   ${name.padEnd(width)}${about}`),
    ...(models.length === 0 ? [] : [`# It lists ${models.slice(0, 20).join(', ')}${models.length > 20 ? ', …' : ''}.`]),
    stringify({
      'base-url': baseUrl,
      'api-path': apiPath === '' ? '/' : apiPath,
      ...(model !== undefined && { model }),
      ...(insecure && { insecure }),
      ...(knownFailures !== undefined && { 'known-failures': knownFailures }),
    }),
  ].join('\n')
}

/** What a CI file needs to know. */
interface Job {
  /** How the release that wrote it is called. */
  readonly package: string
  readonly profile: string
  readonly baseUrl: string
  /** The secrets that the job needs. */
  readonly secrets: readonly string[]
}

export type CiKind = 'github' | 'gitlab'

/** Where each kind of CI looks for a file; GitLab's own may hold other jobs and has to include this one. */
export const ciFiles: Readonly<Record<CiKind, string>> = {
  github: '.github/workflows/assay.yml',
  gitlab: 'assay.gitlab-ci.yml',
}

export const ciTexts: Readonly<Record<CiKind, (job: Job) => string>> = { github: githubText, gitlab: gitlabText }

function githubText({ package: name, profile, baseUrl, secrets }: Job): string {
  const env = secrets.flatMap((one) => [`          ${one}: \${{ secrets.${one} }}`])
  return `${[
    'name: assay',
    'on: [push, pull_request]',
    'permissions:',
    '  contents: read',
    'jobs:',
    '  conformance:',
    '    runs-on: ubuntu-latest',
    '    steps:',
    '      - uses: actions/checkout@v4',
    '      - uses: actions/setup-node@v4',
    '        with:',
    '          node-version: 24',
    ...startNote(baseUrl, '      '),
    '      - name: Test the gateway against the contract',
    `        run: npx --yes ${name} conformance --profile ${profile} --report terminal --report github --report markdown=assay.md --report html=assay.html`,
    ...(env.length === 0 ? [] : ['        env:', ...env]),
    '      - name: Show the summary',
    "        if: always() && hashFiles('assay.md') != ''",
    '        run: cat assay.md >> "$GITHUB_STEP_SUMMARY"',
    '      - name: Keep the report and the evidence',
    '        if: always()',
    '        uses: actions/upload-artifact@v4',
    '        with:',
    '          name: assay',
    '          path: |',
    '            assay.html',
    '            assay-evidence',
    '          if-no-files-found: ignore',
  ].join('\n')}\n`
}

function gitlabText({ package: name, profile, baseUrl, secrets }: Job): string {
  return `${[
    '# Add to .gitlab-ci.yml:',
    `#   include: ${ciFiles.gitlab}`,
    ...secrets.map((one) => `# ${one} is a masked variable of the project.`),
    'assay:',
    '  image: node:24',
    '  script:',
    ...startNote(baseUrl, '    '),
    `    - npx --yes ${name} conformance --profile ${profile} --report terminal --report junit=assay.xml --report html=assay.html`,
    '  artifacts:',
    '    when: always',
    '    reports:',
    '      junit: assay.xml',
    '    paths: [assay.html, assay-evidence]',
  ].join('\n')}\n`
}

/** A gateway on the developer's own machine is not there in CI. */
function startNote(baseUrl: string, indent: string): readonly string[] {
  const { hostname } = new URL(baseUrl)
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
  return isLocal ? [`${indent}# Start the gateway before this step: it is expected at ${baseUrl}.`] : []
}
