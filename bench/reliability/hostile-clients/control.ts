import type { Draw } from '../draw.ts'
import { type Kind, requestOf } from './input.ts'
import { mangled, oddJson, oddText } from './odd-values.ts'

/** The control API, called by somebody whose token is good. */
export const controlKinds: readonly Kind[] = [
  call('a control call with odd values', 8, (draw, accountId) => {
    const [method, path, fields] = draw.pick(operations)
    const id = draw.pick([accountId, accountId, oddText(draw)])
    const body = `{${fields.map((name) => `"${name}":${draw.pick([oddJson(draw), '"1.50"', '5'])}`).join(',')}}`
    return [method, path.replace('{id}', encodeURIComponent(id.toWellFormed())), body]
  }),
  call('a control call with odd paths', 3, (draw) => [
    draw.pick(['GET', 'DELETE', 'POST', 'PUT']),
    draw.pick(['//', '//[', '/accounts/%', '/accounts//keys', '/keys/%00/usage', '/models/%2e%2e/nodes', '/', '?']),
    '{}',
  ]),
  call('a control call whose body was changed', 3, (draw, accountId) => [
    'POST',
    `/accounts/${accountId}/credit`,
    mangled(draw, Buffer.from('{"amountUsd":"1.50"}')),
  ]),
]

const operations = [
  ['GET', '/accounts/{id}', []],
  ['POST', '/accounts/{id}/credit', ['amountUsd']],
  ['POST', '/accounts/{id}/keys', ['name', 'requestsPerMinute', 'tokensPerMinute']],
  ['POST', '/accounts', ['name', 'creditUsd']],
  ['DELETE', '/keys/{id}', []],
  ['GET', '/keys/{id}/usage', []],
  ['GET', '/accounts/{id}/entries?after=5&limit=1', []],
  ['GET', '/accounts/{id}/entries?after=%00&limit=999999999999999', []],
  ['GET', '/models', []],
  ['PUT', '/models/{id}/nodes', ['state']],
] as const

function call(
  about: string,
  share: number,
  make: (draw: Draw, accountId: string) => readonly [method: string, path: string, body: string | Buffer],
): Kind {
  return {
    about,
    share,
    make(draw, { controlToken, accountId }) {
      const [method, path, body] = make(draw, accountId)
      // A path of two slashes stands for a whole request target.
      const target = path.startsWith('//') ? path : `/control/v1${path}`
      return {
        surface: 'control',
        isRequest: true,
        bytes: requestOf(method, target, { Authorization: `Bearer ${controlToken}` }, body),
      }
    },
  }
}
