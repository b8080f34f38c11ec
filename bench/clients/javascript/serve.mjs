import { createInterface } from 'node:readline'

/**
 * Carries out orders from standard input with a library: `list` gives ids, `create` a text, `stream` pieces of one.
 * A stream is left as its users leave it, by breaking out of the loop.
 */
export async function serve({ list, create, stream }) {
  for await (const line of createInterface({ input: process.stdin })) {
    const order = JSON.parse(line)
    const got = {}
    try {
      if (order.do === 'list')
        Object.assign(got, list ? { models: await list(order) } : { cannot: 'it lists no models' })
      else if (order.do === 'create') got.text = await create(order)
      else await read(stream(order), got, order.do === 'abort' ? 1 : Number.POSITIVE_INFINITY)
    } catch (error) {
      got.error = `${error.name}: ${error.message}`
      got.status = statusOf(error) ?? null
    }
    process.stdout.write(`${JSON.stringify(got)}\n`)
  }
}

async function read(pieces, got, most) {
  Object.assign(got, { text: '', pieces: 0 })
  for await (const piece of pieces) {
    if (!piece) continue
    got.text += piece
    got.pieces += 1
    if (got.pieces === most) break
  }
}

/** Where libraries put the status of an answer; some only in the error that they wrap. */
function statusOf(error) {
  const { status, statusCode, httpResponse, lastError, cause } = error
  return (
    status ?? statusCode ?? httpResponse?.status ?? (lastError && statusOf(lastError)) ?? (cause && statusOf(cause))
  )
}
