import type { ControlConfig, TargetConfig } from './config.ts'

/** What a check may need beyond a base URL and a key, and what to pass to provide it. */
export const capabilities = {
  client: 'a base URL and, where the gateway asks for one, --api-key',
  'second-key': '--second-key, another key of the same account',
  'revoked-key': '--revoked-key, a key that was deleted',
  'unfunded-key': '--unfunded-key, a key of an account without funds',
  'limited-key': '--limited-key, a key with a low rate limit',
  'unavailable-model': '--unavailable-model, a model that the gateway knows but no node serves',
  control: '--control and --control-token, or control-commands in a profile',
  restart: '--restart-command, or a control API that can restart the gateway',
  nodes: '--nodes, operator nodes that Assay plays for the gateway',
  'two-nodes': 'two nodes with the same model in --nodes',
  long: '--long, which allows checks that wait longer than 20 s',
  costly: '--costly, which allows prompts of up to 1 MB',
  load: '--load, which allows more than --concurrency requests at once',
} as const satisfies Record<string, string>

export type Capability = keyof typeof capabilities

export function capabilitiesOf({
  keys,
  unavailableModel,
  control,
  nodes,
  long,
  costly,
  load,
}: TargetConfig): ReadonlySet<Capability> {
  const present: Capability[] = ['client']
  if (keys.second !== undefined) present.push('second-key')
  if (keys.revoked !== undefined) present.push('revoked-key')
  if (keys.unfunded !== undefined) present.push('unfunded-key')
  if (keys.limited !== undefined) present.push('limited-key')
  if (control !== undefined && canDoMore(control)) present.push('control')
  if (control !== undefined && canRestart(control)) present.push('restart')
  if (unavailableModel !== undefined) present.push('unavailable-model')
  if (nodes !== undefined) present.push('nodes')
  if ((nodes?.controlUrls.length ?? 0) > 1) present.push('two-nodes')
  if (long) present.push('long')
  if (costly === true) present.push('costly')
  if (load) present.push('load')
  return new Set(present)
}

function canRestart(control: ControlConfig): boolean {
  return 'url' in control || control.hooks.restart !== undefined
}

/** A command that restarts the gateway is no control API. */
function canDoMore(control: ControlConfig): boolean {
  return 'url' in control || Object.keys(control.hooks).some((verb) => verb !== 'restart')
}
