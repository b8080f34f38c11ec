import type { OptionTable } from './parse.ts'

/** What several commands take, each said once. */
export const shared = {
  'api-path': { kind: 'text', value: 'PATH', about: 'where the API is mounted (found: /api/v1, /v1, …)' },
  'api-key': {
    kind: 'text',
    isKey: true,
    value: 'KEY',
    about: 'a funded key; better set ASSAY_API_KEY, which process lists do not show',
  },
  model: { kind: 'text', value: 'ID', about: 'the model to use (the cheapest listed one that answers)' },
  header: { kind: 'list', value: "'Name: value'", about: 'sent with every request (repeatable)' },
  profile: { kind: 'text', value: 'FILE', about: 'a YAML or JSON file with these options' },
  'control-token': {
    kind: 'text',
    isKey: true,
    value: 'T',
    about: 'the token of the control API; better set ASSAY_CONTROL_TOKEN',
  },
  'restart-command': {
    kind: 'text',
    value: 'CMD',
    about: 'a shell command that restarts the gateway and ends when it serves again',
  },
  settling: {
    kind: 'number',
    value: 'S',
    min: 0,
    whole: false,
    about: 'how long balances, usage and the view of nodes may lag (10)',
  },
  insecure: { kind: 'flag', about: 'accept any certificate' },
  'no-color': { kind: 'flag', about: 'plain text' },
  help: { kind: 'flag', about: 'print this' },
} as const satisfies OptionTable
