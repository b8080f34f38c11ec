import { didYouMean } from '../../did-you-mean.ts'
import { HarnessError } from '../../harness-error.ts'
import { isRecord } from '../../json.ts'
import { mediaType } from '../../wire/transcript.ts'
import { type Answer, isSuccess } from '../answer.ts'
import { chatRequest, modelsPath } from '../chat.ts'
import type { TargetConfig } from '../config.ts'
import type { RosterModel } from '../roster.ts'
import { outcome } from '../settle.ts'
import type { Target } from '../target.ts'
import { finding, otherPlace, withChat } from './find-api.ts'
import { inItsWords } from './in-its-words.ts'
import { noAnswer, wrongScheme } from './no-answer.ts'
import { redirected } from './redirection.ts'

/** What came of the first contact. */
export interface Contact {
  readonly list: Answer
  readonly roster: readonly RosterModel[]
  /** The replies and streams of each model that was tried. */
  readonly chat: readonly Answer[]
}

/** Throws `HarnessError` (exit 3) where no verdict could say anything about a gateway; each names the next step. */
export async function refuseWhatCannotBeJudged(target: Target, contact: Contact): Promise<void> {
  const { list, chat } = contact
  if ([list, ...chat].every(({ status }) => status === undefined)) throw await noAnswer(target.config, list.exchange)
  refuseFailure(target, contact)
  await refuseKey(target, contact)
  refuseModel(target, contact)
  if (!(await isApi(target, contact))) throw await notAGateway(target, list)
}

/** A server that answers 5xx to everything has been asked nothing yet. Where a list or a chat is answered otherwise, it can be judged. */
function refuseFailure({ config }: Target, { list, chat }: Contact): void {
  const [first] = chat
  if (first === undefined || ![list, ...chat].every(({ status = 0 }) => status >= 500)) return
  const where = config.baseUrl + config.apiPath
  const both = `GET ${where}${modelsPath} answered ${list.status}${inItsWords(list, config)}; a plain chat was answered with ${outcome(first)}`
  throw new HarnessError('server-fails', `The server itself fails: ${both}.`)
}

/** The key, its account or its limit stands in the way of every request. */
async function refuseKey(target: Target, { list, chat }: Contact): Promise<void> {
  const { config } = target
  const { baseUrl, apiPath } = config
  const where = baseUrl + apiPath
  const all = (...statuses: readonly number[]): boolean =>
    chat.every(({ status }) => status !== undefined && statuses.includes(status))
  const refusal = chat[0] ?? list
  const said = outcome(refusal) + inItsWords(refusal, config)
  const given = credentialOf(config)
  // A list that is served for the key alone says that the key is good, and the refusals are the gateway's.
  if (all(401, 403) && (!isSuccess(list) || (await listIsOpen(target)))) {
    if (given === undefined) throw new HarnessError('key-missing', `${where} asks for a key, and none was given.`)
    throw new HarnessError('key-refused', `${where} refuses ${given.name} with ${said}.`, given)
  }
  if (all(403))
    throw new HarnessError(
      'key-refused',
      `${where} forbids ${given?.name ?? 'this client'} every plain request: ${said}.`,
      given,
    )
  if (all(402, 403)) throw new HarnessError('no-funds', `${where} asks for payment before a plain request: ${said}.`)
  if (all(402, 403, 429))
    throw new HarnessError('limited', `${where} refuses every plain request for a limit, asked several times: ${said}.`)
}

/** What the requests show to be let in, and what to do where that is refused, if that is not the usual step. */
function credentialOf({ keys, headers }: TargetConfig): { readonly name: string; readonly next?: string } | undefined {
  if (keys.main !== undefined) return { name: 'the given key' }
  if (!headers.some(([name]) => name.toLowerCase() === 'authorization')) return undefined
  return { name: 'the Authorization of --header', next: 'Check the value of that header (--header or ASSAY_HEADER).' }
}

/** Whether the list says nothing about the key, because it is served without one. */
async function listIsOpen(target: Target): Promise<boolean> {
  return isSuccess(await target.send({ method: 'GET', path: modelsPath, key: null }))
}

/** A model that is served without being listed can be judged; one that is neither was mistyped. */
function refuseModel({ config }: Target, { list, roster, chat }: Contact): void {
  const { model, baseUrl, apiPath } = config
  const ids = roster.map(({ id }) => id)
  if (model === undefined || ids.length === 0 || ids.includes(model) || chat.some(isSuccess)) return
  const listed = `it lists ${ids.slice(0, 8).join(', ')}${ids.length > 8 ? ` and ${ids.length - 8} more` : ''}`
  throw new HarnessError(
    'model-unknown',
    `${baseUrl}${apiPath} does not list the model ${model}, and answers it with ${outcome(chat[0] ?? list)}; ${listed}.${didYouMean(model, ids)}`,
  )
}

/** A model that is listed and answers was named by mistake as the one that no node serves. */
export async function refuseServedModel(target: Target): Promise<void> {
  const { unavailableModel = '', baseUrl, apiPath } = target.config
  const answer = await target.send(chatRequest(unavailableModel, {}))
  if (isSuccess(answer))
    throw new HarnessError(
      'model-available',
      `${baseUrl}${apiPath} lists the model ${unavailableModel}, and answers it.`,
    )
}

async function isApi(target: Target, { list, roster, chat }: Contact): Promise<boolean> {
  if (![list, ...chat].some(resemblesTheApi)) return false
  if (roster.length > 0 || list.status !== 404 || !chat.every(isNoRoute)) return true
  return (await withChat(target, [target.config.apiPath])) !== undefined
}

/** A JSON object or list, or an event stream; a web page or an empty answer is neither. */
function resemblesTheApi({ json, exchange }: Answer): boolean {
  return isRecord(json) || Array.isArray(json) || mediaType(exchange) === 'text/event-stream'
}

/** A 404 that speaks of a model comes from a route that exists. */
function isNoRoute({ status, text }: Answer): boolean {
  return status === 404 && !/model/i.test(text)
}

async function notAGateway(target: Target, list: Answer): Promise<HarnessError> {
  const { baseUrl, apiPath } = target.config
  // Servers answer a request in the wrong scheme with a 400 of their own, if at all.
  const scheme = list.status === 400 ? await wrongScheme(baseUrl) : undefined
  if (scheme !== undefined) return scheme
  const elsewhere = redirected(baseUrl, [list])
  if (elsewhere !== undefined) return elsewhere
  const other = await otherPlace(target)
  return new HarnessError(
    'not-a-gateway',
    other === undefined
      ? `Nothing at ${baseUrl}${apiPath} answers like an inference gateway: ${finding(list)} for the model list.`
      : `Nothing at ${baseUrl}${apiPath}, but ${baseUrl}${other} lists models: pass --api-path ${other || '/'}.`,
  )
}
