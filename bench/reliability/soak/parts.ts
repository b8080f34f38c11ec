import { faultKinds } from '../../../reference-server/node-server/script/script-schema.ts'
import { type Charged, unitsPerToken } from '../books.ts'
import type { Seen } from '../client.ts'
import type { Draw } from '../draw.ts'
import type { World } from './world.ts'

/** One kind of use. Each of its users does it again and again. */
export interface Part {
  readonly about: string
  readonly users: number
  /** Between two uses of one user. */
  readonly pauseMs: number
  /** Uses it once and says in a few words what came of it. */
  use(world: World, draw: Draw, charged: Charged): Promise<string>
  /** What may come of it; anything else is a problem. */
  readonly allowed: RegExp
}

type ModelName = keyof typeof unitsPerToken

function chatOf(model: ModelName, script: string, stream: boolean): object {
  const content = script === '' ? 'Hello' : `assay-script-${script}`
  const options = stream ? { stream, stream_options: { include_usage: true } } : {}
  return { model, messages: [{ role: 'user', content }], max_tokens: 200, ...options }
}

const wordsOf = ({ status, ending, retryAfter }: Seen): string =>
  `${status === 0 ? '' : `${status} `}${ending}${status === 503 && retryAfter === undefined ? ' without Retry-After' : ''}`

async function charge(
  { client, key }: World,
  charged: Charged,
  model: ModelName,
  body: object,
  leaveAfterMs?: number,
): Promise<string> {
  const seen = await client.chat({ key, body, ...(leaveAfterMs !== undefined && { leaveAfterMs }) })
  charged.note(seen, unitsPerToken[model])
  return wordsOf(seen)
}

/** The field is missing where it is refused, or a model that nobody knows. */
const mistakes: readonly (readonly [status: number, body: object | string])[] = [
  [400, '{"model":"small","messages":['],
  [400, { model: 'small', messages: [] }],
  [400, { ...chatOf('small', '', false), temperature: 9 }],
  [404, { ...chatOf('small', '', false), model: 'unknown' }],
]

const ownersPages = ['/', '/keys', '/usage', '/usage.csv', '/ledger', '/requests', '/models', '/playground']

export const parts: readonly Part[] = [
  {
    about: 'streams of ten seconds',
    users: 200,
    pauseMs: 20,
    use: (world, _draw, charged) => charge(world, charged, 'small', chatOf('small', 'steady', true)),
    allowed: /^200 whole$/,
  },
  {
    about: 'streams whose first token takes 18 s',
    users: 4,
    pauseMs: 1000,
    use: (world, _draw, charged) => charge(world, charged, 'small', chatOf('small', 'late', true)),
    allowed: /^200 whole$/,
  },
  {
    about: 'JSON replies',
    users: 4,
    pauseMs: 200,
    use: (world, _draw, charged) => charge(world, charged, 'large', chatOf('large', '', false)),
    allowed: /^200 whole$/,
  },
  {
    about: 'requests that are given up',
    users: 8,
    pauseMs: 200,
    use: (world, draw, charged) =>
      charge(world, charged, 'small', chatOf('small', 'steady', draw.pick([true, false])), draw.between(0, 2000)),
    allowed: /^(200 )?left$/,
  },
  {
    about: 'nodes that fail',
    users: 6,
    pauseMs: 500,
    use: (world, draw, charged) =>
      charge(world, charged, 'medium', chatOf('medium', draw.pick(faultKinds), draw.pick([true, false]))),
    allowed: /^(200 (whole|error event|cut)|50[234] whole)$/,
  },
  {
    about: 'nodes that go and come back',
    users: 1,
    pauseMs: 1000,
    async use({ gateway }, draw) {
      const state = draw.pick(['down', 'blackhole', 'up', 'up', 'up'])
      await gateway.control('PUT', '/models/medium/nodes', { state })
      return state
    },
    allowed: /^(down|blackhole|up)$/,
  },
  {
    about: 'requests that must be refused',
    users: 2,
    pauseMs: 250,
    async use({ client, key, emptyKey }, draw, charged) {
      const [due, asking] = draw.pick([
        ...mistakes.map(([status, body]) => [status, { key, body }] as const),
        [401, { key: 'sk-nobody', body: chatOf('small', '', false) }] as const,
        [402, { key: emptyKey, body: chatOf('small', '', false) }] as const,
      ])
      const seen = await client.chat(asking)
      charged.note(seen, 0n)
      return seen.status === due && seen.ending === 'whole' ? 'refused' : `${wordsOf(seen)} for a ${due}`
    },
    allowed: /^refused$/,
  },
  {
    about: 'pages of the dashboard',
    users: 2,
    pauseMs: 500,
    async use({ owner, operator, client, ownersKey }, draw) {
      await client.chat({ key: ownersKey, body: chatOf('large', '', draw.pick([true, false])) })
      const isOwner = draw.between(0, 9) > 0
      const answer = await (isOwner ? owner.get(draw.pick(ownersPages)) : operator.get('/operator'))
      const isWhole = (await answer.text()).length > 0
      return `${answer.status}${isWhole ? '' : ' empty'}`
    },
    allowed: /^200$/,
  },
]
