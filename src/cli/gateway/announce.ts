import type { RunningGateway } from '../../../reference-server/main.ts'
import { commandName } from '../../command-name.ts'
import type { CommandIo } from '../command.ts'

interface Given {
  readonly isJson: boolean
  /** A random token or password is printed, because nobody else knows it; a given one is not. */
  readonly isTokenGiven: boolean
  readonly isPasswordGiven: boolean
}

/** Says where a gateway listens, who may sign in, and what to type next. */
export function announceGateway(running: RunningGateway, given: Given, io: Pick<CommandIo, 'out' | 'err'>): void {
  const { baseUrl, control, dashboard, metricsUrl, demo } = running
  const operator =
    dashboard === undefined || given.isPasswordGiven
      ? []
      : [`The operator signs in with ${dashboard.operatorPassword} (ASSAY_OPERATOR_PASSWORD sets another).`]
  if (given.isJson) {
    io.out(
      JSON.stringify({
        baseUrl,
        ...(control && { controlUrl: control.url, controlToken: control.token }),
        ...(dashboard && { dashboardUrl: dashboard.url }),
        ...(metricsUrl !== undefined && { metricsUrl }),
        ...demo,
      }),
    )
    for (const line of operator) io.err(line)
    return
  }
  const lines = [
    `The reference gateway listens at ${baseUrl}`,
    ...(metricsUrl === undefined ? [] : [`Metrics, health and readiness are at ${metricsUrl}`]),
    ...(control === undefined ? [] : [`The control API listens at ${control.url}`]),
    ...(control === undefined || given.isTokenGiven ? [] : [`  controlToken: ${control.token}`]),
    ...(dashboard === undefined ? [] : [`The dashboard is at ${dashboard.url}`]),
    ...(demo?.person === undefined
      ? []
      : [`  ${demo.person.email} signs in with ${demo.person.password} and sees the account of the demo's keys.`]),
    ...operator.map((line) => `  ${line}`),
    ...(demo === undefined ? ['', wayToAKey(running)] : demoLines(running, given.isTokenGiven)),
  ]
  for (const line of lines) io.out(line)
}

function wayToAKey({ control, dashboard }: RunningGateway): string {
  if (dashboard !== undefined)
    return 'Requests need a key: sign up in the dashboard, which gives credit, and create one there, or start with --demo for keys at once.'
  if (control !== undefined)
    return 'Requests need a key: create an account and a key over the control API, or start with --demo for keys at once.'
  return 'Requests need a key: start with --demo for an account with keys, or with --control or --dashboard to create some.'
}

/** Lines to paste into another terminal: the keys of a demonstration, a request, an SDK, a run of the checks. */
function demoLines({ baseUrl, control, demo }: RunningGateway, isTokenGiven: boolean): readonly string[] {
  if (demo === undefined) return []
  const body = JSON.stringify({
    model: demo.model,
    stream: true,
    messages: [{ role: 'user', content: 'Tell me a story in 60 words.' }],
  })
  const token = control === undefined ? [] : [`export ASSAY_CONTROL_TOKEN=${isTokenGiven ? '…' : control.token}`]
  const withControl = control === undefined ? '' : ` --control ${control.url}`
  return [
    '',
    'To try it, paste into another terminal:',
    '',
    `export ASSAY_API_KEY=${demo.apiKey}`,
    `curl -N ${baseUrl}/api/v1/chat/completions \\`,
    '  -H "Authorization: Bearer $ASSAY_API_KEY" -H \'Content-Type: application/json\' \\',
    `  --data '${body}'`,
    '',
    '# An SDK of OpenAI reads its address and its key from here:',
    `export OPENAI_BASE_URL=${baseUrl}/api/v1 OPENAI_API_KEY=$ASSAY_API_KEY`,
    '',
    '# Another key of the account, a deleted one, one without funds, one with a low limit, and a model without a node:',
    `export ASSAY_SECOND_KEY=${demo.secondKey}`,
    `export ASSAY_REVOKED_KEY=${demo.revokedKey}`,
    `export ASSAY_UNFUNDED_KEY=${demo.unfundedKey}`,
    `export ASSAY_LIMITED_KEY=${demo.limitedKey}`,
    `export ASSAY_UNAVAILABLE_MODEL=${demo.unavailableModel}`,
    ...token,
    `${commandName('conformance')} --quick --base-url ${baseUrl}${withControl}`,
  ]
}
