import type { FinishReason, Fragment } from '../network/node.ts'
import { type Bill, openBill } from './bill.ts'
import { ClientLeft, GatewayError, modelNotFound } from './gateway-error.ts'
import { startHeartbeat } from './heartbeat.ts'
import { type Reply, type ReplyWaits, startReply } from './reply.ts'
import type { Call, Identity, Seams, StreamSink } from './seams.ts'

/** How long a reply may take to begin, and what its client hears until then. */
export interface Waits extends ReplyWaits {
  /** After how much silence a stream that waits for its first token gets a comment, again and again; 0 for never. */
  readonly heartbeatMs: number
}

/** The life of one chat completion (C4.1), in order. Each step may refuse it before the next one costs anything. */
export async function chatCompletions(seams: Seams, call: Call, waits: Waits): Promise<void> {
  const caller = seams.authenticate(call)
  call.caller = caller
  seams.requireTurn(caller, call)
  const bytes = await seams.readBody(call)
  const request = seams.validate(seams.parseBody(bytes, call), call)
  call.body = request
  const model = seams.findModel(request.model, call)
  if (model === undefined) throw modelNotFound()
  call.model = model
  const promptTokens = seams.countPromptTokens(request, call)
  seams.requireRoom(promptTokens, model, call)
  const job = seams.job(request, model, promptTokens, call)
  const bill = await openBill(seams, call, caller, model, promptTokens, job)
  try {
    const reply = startReply(seams, model, job, call, waits)
    const identity = { id: seams.newId(call), created: seams.now(call), model: model.id }
    try {
      const { includeUsage } = request
      const { heartbeatMs } = waits
      if (request.stream) await streamReply(seams, call, identity, reply, bill, { includeUsage, heartbeatMs })
      else await wholeReply(seams, call, identity, reply, bill)
    } finally {
      await reply.close()
    }
  } catch (error) {
    // A client that leaves pays for what was written to it.
    if (error instanceof ClientLeft) await bill.settleDelivered()
    throw error
  } finally {
    // What ended without a charge costs nothing.
    await bill.cancel()
  }
}

async function wholeReply(seams: Seams, call: Call, identity: Identity, reply: Reply, bill: Bill): Promise<void> {
  let text = ''
  let step = await reply.next()
  for (; !step.done; step = reply.takeReady() ?? (await reply.next())) text += step.value.text
  const { promptTokens } = bill
  const completionTokens = seams.countCompletionTokens(reply.completionTokens(), call)
  const parts = { ...identity, text, finishReason: step.value, promptTokens, completionTokens }
  const body = seams.encode(seams.completion(parts, call), call)
  await bill.settle(completionTokens)
  await seams.sendBody(seams.replyHead(call), body, call)
}

async function streamReply(
  seams: Seams,
  call: Call,
  identity: Identity,
  reply: Reply,
  bill: Bill,
  { includeUsage, heartbeatMs }: { readonly includeUsage: boolean; readonly heartbeatMs: number },
): Promise<void> {
  let sink: StreamSink | undefined
  const open = (): StreamSink => {
    sink ??= seams.openStream(seams.streamHead(call), call)
    return sink
  }
  const send = (value: unknown): Promise<void> | undefined => open().write(seams.frame(seams.encode(value, call), call))
  const endHeartbeat = startHeartbeat(call, heartbeatMs, open)
  let position = 0
  let step: IteratorResult<Fragment, FinishReason> | undefined
  try {
    // The head waits for the node's first word, or the first heartbeat: until then a failure can still have a proper status.
    step = await reply.next().finally(endHeartbeat)
    const out = open()
    const textEvent = seams.textEvents(identity, call)
    await send(seams.chunk({ ...identity, position, role: 'assistant', text: '' }, call))
    for (; !step.done; step = reply.takeReady() ?? (await reply.next())) {
      const { text, tokens } = step.value
      if (text !== '') {
        position += 1
        const isFull = out.write(textEvent(text, position))
        if (isFull !== undefined) await isFull
      }
      bill.deliver(tokens)
    }
  } catch (error) {
    if (sink === undefined || !(error instanceof GatewayError)) throw error
    // One error event and no [DONE]: the client must see that the reply is not whole. It pays for what it got.
    await send(seams.errorAnswer(error, call).body)
    if (step !== undefined) await bill.settleDelivered()
    await sink.end()
    return
  }
  const completionTokens = seams.countCompletionTokens(reply.completionTokens(), call)
  await send(seams.chunk({ ...identity, position: position + 1, finishReason: step.value }, call))
  if (includeUsage)
    await send(seams.usageChunk({ ...identity, promptTokens: bill.promptTokens, completionTokens }, call))
  await bill.settle(completionTokens)
  await open().write(seams.doneFrame(call))
  await open().end()
}
