import { play } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, open } from '../../src/check/check.ts'
import { at, isRecord, listAt, numberAt, parseJson, textAt } from '../../src/json.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'
import type { ChatBody } from '../../src/target/chat.ts'

const someTool = { type: 'function', function: { name: 'now', parameters: { type: 'object', properties: {} } } }

/** Requests for more than the contract shows, and how a reply shows that it was granted. */
const wishes: readonly { readonly body: ChatBody; readonly isGranted: (reply: unknown) => boolean }[] = [
  { body: { n: 2 }, isGranted: (reply) => listAt(reply, 'choices').length === 2 },
  {
    body: { tools: [someTool], tool_choice: 'required' },
    isGranted: (reply) => listAt(reply, 'choices', 0, 'message', 'tool_calls').length > 0,
  },
  { body: { logprobs: true }, isGranted: (reply) => isRecord(at(reply, 'choices', 0, 'logprobs')) },
  {
    body: {
      response_format: { type: 'json_object' },
      messages: [{ role: 'user', content: 'Name a colour, as JSON: {"colour":"…"}' }],
      max_tokens: 32,
    },
    isGranted: (reply) => isRecord(parseJson(textAt(reply, 'choices', 0, 'message', 'content') ?? '')),
  },
]

/** What current clients add by themselves, or when one line of their user asks for it. */
const hints: ChatBody = {
  user: 'assay',
  seed: 7,
  metadata: { suite: 'assay' },
  store: false,
  service_tier: 'auto',
  parallel_tool_calls: true,
}

function outcomeOf(answer: Answer, isGranted: (reply: unknown) => boolean): string {
  if (!isSuccess(answer)) return `refused: ${answer.status ?? 'no answer'}`
  return isGranted(answer.json) ? 'granted' : 'not granted'
}

/** Fields that clients of the format send today and the contract does not show. */
export const clientFields = clause('1', [
  open('clients.max-completion-tokens', {
    states: ['unknown-values-open'],
    dependsOn: ['chat.answers'],
    phase: 'heavy',
    cost: { requests: 1, tokens: 540 },
    why: 'Newer clients send their limit only under this name, and pay for the whole reply where it is dropped.',
    fix: 'Nothing to mend: the contract leaves it open. Best is to read it as `max_tokens`, or to refuse it.',
    async run({ probe }) {
      const allowed = 5
      const answer = await probe({
        messages: [{ role: 'user', content: 'Count from one to twenty, in words.' }],
        max_tokens: undefined,
        max_completion_tokens: allowed,
      })
      const generated = numberAt(answer.json, 'usage', 'completion_tokens') ?? null
      return { status: answer.status ?? null, allowed, generated }
    },
  }),
  open('clients.more-than-the-contract', {
    states: ['unknown-values-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 4, tokens: 240 },
    why: 'A client that asks for two choices, a tool or JSON, and gets plain text with a 200, breaks in code far from the cause.',
    fix: 'Nothing to mend: the contract leaves it open. Best is a 4xx that names the field.',
    async run({ probe }) {
      const seen: Record<string, string> = {}
      for (const { body, isGranted } of wishes)
        seen[Object.keys(body)[0] ?? ''] = outcomeOf(await probe(body), isGranted)
      return seen
    },
  }),
  open('clients.hints', {
    states: ['unknown-values-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 1, tokens: 60 },
    why: 'A client whose framework adds such fields cannot use a gateway that refuses them.',
    fix: 'Nothing to mend: the contract leaves it open. Best is to accept what asks for nothing.',
    async run({ probe }) {
      const { status, json } = await probe(hints)
      return { fields: Object.keys(hints), status: status ?? null, refused: textAt(json, 'error', 'param') ?? null }
    },
  }),
  open('clients.hints-at-the-node', {
    states: ['unknown-values-open'],
    needs: ['nodes'],
    phase: 'odd',
    dependsOn: ['relay.reply-text-exact', 'clients.hints'],
    cost: { requests: 1, tokens: 60 },
    why: 'A `seed` that does not reach the model makes no reply repeatable.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run(context) {
      const own = await play(context, { fragments: ['Fine', '.'] })
      const answer = await own.reply(hints)
      if (!isSuccess(answer)) throw context.notApplicable(`these fields are refused with ${answer.status ?? 'nothing'}`)
      const [{ json }] = await own.seen()
      return Object.keys(hints).filter((name) => JSON.stringify(at(json, name)) === JSON.stringify(hints[name]))
    },
  }),
])
