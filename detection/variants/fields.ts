import { reading, refusing } from '../wraps/request.ts'
import type { Variant } from './variant.ts'

const shown = ['model', 'messages', 'temperature', 'max_tokens', 'stream', 'top_p', 'stop']

/** Legal gateways that refuse or drop fields that the contract does not name, or that are null. */
export const fieldsVariants = {
  'unknown-fields-refused': {
    reported: true,
    about: 'A field that the contract does not name is refused with 400; the contract says nothing about it.',
    group: 'unknown-fields',
    wrap: () => refusing((body) => Object.keys(body).some((name) => !shown.includes(name))),
  },
  'unknown-fields-dropped': {
    about: 'Fields that the contract does not name are dropped, max_completion_tokens among them.',
    group: 'unknown-fields',
    wrap: () => reading((body) => Object.fromEntries(Object.entries(body).filter(([name]) => shown.includes(name)))),
  },
  'include-usage-refused': {
    about: 'stream_options is refused with 400; the contract does not name it.',
    group: 'unknown-fields',
    wrap: () => refusing((body) => 'stream_options' in body),
  },
  'null-fields-refused': {
    about: 'An option that is null is refused with 400; null is not of the type that the contract shows.',
    wrap: () => refusing((body) => Object.values(body).includes(null)),
  },
} as const satisfies Record<string, Variant>
