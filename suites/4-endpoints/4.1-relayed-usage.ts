import { usageIn, withUsage } from '../../src/asking/billing.ts'
import { type Play, play, textOf } from '../../src/asking/nodes/scripted-nodes.ts'
import { clause, must } from '../../src/check/check.ts'
import type { CheckContext } from '../../src/check/context.ts'
import { at, numberAt } from '../../src/json.ts'
import { type Answer, isClientError, isStream, type StreamAnswer } from '../../src/target/answer.ts'
import type { ChatBody } from '../../src/target/chat.ts'
import type { NodeScript } from '../../src/target/nodes.ts'

const brief: NodeScript = { fragments: ['Yes.'] }
const long: NodeScript = { fragments: Array.from({ length: 60 }, (_, turn) => `word${turn} `) }
const longPrompt = 'The tide comes in and the tide goes out. '.repeat(30)

const usage = { prompt_tokens: 300, completion_tokens: 250, total_tokens: 550 }
/** Parts of these that would be about as many again. */
const usageDetails = {
  prompt_tokens_details: { cached_tokens: 290 },
  completion_tokens_details: { reasoning_tokens: 240 },
}

interface Counted {
  readonly answer: Answer
  readonly prompt: number
  readonly completion: number
}

const modes = ['reply', 'stream'] as const

/** The counts of one reply; undefined if it is a stream without any, or one that may not ask for them: the contract leaves both open. */
async function counted(context: CheckContext, mode: (typeof modes)[number], own: Play, body: ChatBody) {
  const answer: Answer | StreamAnswer =
    mode === 'reply' ? await own.reply(body) : await own.stream({ ...body, ...withUsage })
  if (isStream(answer) && isClientError(answer) && answer.status !== 429) return undefined
  textOf(context, `a ${mode}`, answer)
  const usage = isStream(answer) ? usageIn(answer) : at(answer.json, 'usage')
  const [prompt, completion] = [numberAt(usage, 'prompt_tokens'), numberAt(usage, 'completion_tokens')]
  if (prompt === undefined || completion === undefined) return undefined
  return { answer, prompt, completion } satisfies Counted
}

/** Expects no more tokens to be counted, by far, where a node tells them in another way. */
async function holdCounts(
  context: CheckContext,
  usual: Play,
  other: Play,
  how: string,
  most: (usual: number) => number,
): Promise<void> {
  for (const mode of modes) {
    const first = await counted(context, mode, usual, {})
    const second = await counted(context, mode, other, {})
    if (first === undefined || second === undefined) continue
    for (const part of ['prompt', 'completion'] as const)
      context
        .expect(`${part}_tokens of a ${mode} whose node ${how}`, second[part], second.answer)
        .isAtMost(most(first[part]))
  }
}

/** The token counts of replies that are known. */
export const relayedUsage = clause('4.1', [
  must('relay.usage-is-not-the-limit', {
    states: ['completion-tokens-counted'],
    needs: ['nodes'],
    dependsOn: ['relay.usage-whatever-the-node-counts'],
    sameCauseAs: ['usage.is-not-the-limit', 'usage.is-not-the-limit-streaming'],
    cost: { requests: 4, tokens: 400 },
    wrong: 'A short reply of a node failed, or counts more where max_tokens is larger.',
    why: 'Clients that set a generous limit are billed for all of it, however short the reply.',
    fix: 'Count what the node generated, or use the count that it reports; the limit is neither.',
    async run(context) {
      for (const mode of modes) {
        const own = await play(context, brief)
        const first = await counted(context, mode, own, { max_tokens: 500 })
        const second = await counted(context, mode, own, { max_tokens: 900 })
        if (first === undefined || second === undefined) continue
        context
          .expect(
            `completion_tokens of the same ${mode} for a max_tokens of 900 instead of 500`,
            second.completion,
            second.answer,
          )
          .isAtMost(first.completion + 200)
      }
    },
  }),
  must('relay.usage-of-its-own', {
    states: ['prompt-tokens-counted', 'completion-tokens-counted'],
    needs: ['nodes'],
    dependsOn: ['relay.usage-is-not-the-limit'],
    cost: { requests: 6, tokens: 2400 },
    wrong: 'A reply of a node failed, or its token counts do not fit its own prompt and text.',
    why: 'Clients are billed for what somebody else asked when counts are kept from one request to the next.',
    fix: 'Keep the counts of a request with the request.',
    async run(context) {
      for (const mode of modes) {
        const [talker, listener] = await Promise.all([play(context, long), play(context, brief)])
        const messages = [{ role: 'user', content: longPrompt + listener.prompt }]
        const before = await counted(context, mode, talker, {})
        const between = await counted(context, mode, listener, { messages })
        const after = await counted(context, mode, talker, {})
        if (before === undefined || between === undefined || after === undefined) continue
        for (const { answer, prompt, completion } of [before, after]) {
          context
            .expect(
              `prompt_tokens of a ${mode} to a few words, before and after one to ${between.prompt} tokens`,
              prompt,
              answer,
            )
            .isAtMost(between.prompt - 1)
          context
            .expect(
              `completion_tokens of a ${mode} of 60 words, before and after one of ${between.completion} tokens`,
              completion,
              answer,
            )
            .isAtLeast(between.completion + 1)
        }
      }
    },
  }),
  must('relay.running-usage-is-not-summed', {
    states: ['completion-tokens-counted'],
    needs: ['nodes'],
    dependsOn: ['relay.usage-whatever-the-node-counts'],
    sameCauseAs: ['relay.usage-of-its-own'],
    cost: { requests: 12, tokens: 3000 },
    wrong: 'A reply of a node that repeats its usage in every chunk counts many times the tokens.',
    why: 'Clients are billed thirty times over by an engine that tells its usage as it goes.',
    fix: 'Take the last usage that the node sent: each includes the ones before.',
    async run(context) {
      const [once, running] = await Promise.all([
        play(context, { ...long, usageWhere: 'own-chunk' }),
        play(context, { ...long, usageWhere: 'every-chunk' }),
      ])
      await holdCounts(context, once, running, 'tells them in each of 60 chunks', (usual) => usual * 2 + 20)
    },
  }),
  must('relay.usage-details-are-not-added', {
    states: ['completion-tokens-counted'],
    needs: ['nodes'],
    dependsOn: ['relay.usage-whatever-the-node-counts'],
    sameCauseAs: ['relay.usage-of-its-own'],
    cost: { requests: 4, tokens: 400 },
    wrong: 'Tokens that a node tells as a part of its counts were counted once more.',
    why: 'Clients are billed twice for every token that a model thinks, or has in its cache.',
    fix: 'Take the details of usage for parts of prompt_tokens and completion_tokens, not for more of them.',
    async run(context) {
      const [bare, detailed] = await Promise.all([
        play(context, { ...brief, usage }),
        play(context, { ...brief, usage: { ...usage, ...usageDetails } }),
      ])
      await holdCounts(context, bare, detailed, 'details them', (usual) => usual + 50)
    },
  }),
])
