import type { NodeLimits } from '../network/node-failure.ts'
import { type Bill, openBill } from './bill.ts'
import { ClientLeft, GatewayError, modelNotFound } from './gateway-error.ts'
import { type Reply, startReply } from './reply.ts'
import type { Call, Identity, Seams } from './seams.ts'

/** The life of one chat completion (C4.1), in order. Each step may refuse it before the next one costs anything. */
export async function chatCompletions(seams: Seams, call: Call, limits: NodeLimits): Promise<void> {
  const caller = seams.authenticate(call)
  call.caller = caller
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
    const reply = startReply(seams, model, job, call, limits)
    const identity = { id: seams.newId(call), created: seams.now(call), model: model.id }
    try {
      if (request.stream) await streamReply(seams, call, identity, reply, bill, request.includeUsage)
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
  includeUsage: boolean,
): Promise<void> {
  // The head waits for the node's first word: until then a failure can still have a proper status.
  let step = await reply.next()
  const sink = seams.openStream(seams.streamHead(call), call)
  const textEvent = seams.textEvents(identity, call)
  const send = (value: unknown): Promise<void> | undefined => sink.write(seams.frame(seams.encode(value, call), call))
  let position = 0

  await send(seams.chunk({ ...identity, position, role: 'assistant', text: '' }, call))
  try {
    for (; !step.done; step = reply.takeReady() ?? (await reply.next())) {
      const { text, tokens } = step.value
      if (text !== '') {
        position += 1
        const isFull = sink.write(textEvent(text, position))
        if (isFull !== undefined) await isFull
      }
      bill.deliver(tokens)
    }
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    // One error event and no [DONE]: the client must see that the reply is not whole. It pays for what it got.
    await send(seams.errorAnswer(error, call).body)
    await bill.settleDelivered()
    await sink.end()
    return
  }
  const completionTokens = seams.countCompletionTokens(reply.completionTokens(), call)
  await send(seams.chunk({ ...identity, position: position + 1, finishReason: step.value }, call))
  if (includeUsage)
    await send(seams.usageChunk({ ...identity, promptTokens: bill.promptTokens, completionTokens }, call))
  await bill.settle(completionTokens)
  await sink.write(seams.doneFrame(call))
  await sink.end()
}
