import { HarnessError } from '../../harness-error.ts'
import { isRecord } from '../../json.ts'
import { headerOf, mediaType } from '../../wire/transcript.ts'
import { type Answer, isSuccess, resemblesCompletion } from '../answer.ts'
import { chatPath, modelsPath } from '../chat.ts'
import type { TargetConfig } from '../config.ts'
import { rosterOf } from '../roster.ts'
import { createTarget, type Target } from '../target.ts'
import { redirected } from './redirection.ts'
import { withinBudget } from './within-budget.ts'

/** Where gateways mount their API, the contract's own place first. */
const likelyPaths = ['/api/v1', '/v1', '/openai/v1', '/openai', '/api', ''] as const

/** What stands at a path. */
type Sign =
  /** A list of models: this is the place. */
  | 'list'
  /** Something that wants a key, funds, patience or another method: perhaps the place. */
  | 'something'
  /** Nothing, or a web page. */
  | 'nothing'

interface Look {
  readonly path: string
  readonly answer: Answer
}

/**
 * Finds where a gateway mounts its API: the path of the configuration or a likely one, wherever a model list answers; else
 * where anything does. It asks with GET, which no gateway charges for, and only where that finds nothing for a reply to no message,
 * which no gateway owes. Throws `HarnessError` when nothing is there.
 */
export async function findApi(config: TargetConfig): Promise<string> {
  // What costs nothing does not count against the budget of the run.
  const target = createTarget({ ...config, requestsMax: Number.POSITIVE_INFINITY })
  try {
    return await withinBudget(target, search(target))
  } finally {
    await target.close()
  }
}

async function search(target: Target): Promise<string> {
  const { apiPath, baseUrl } = target.config
  const paths = [apiPath, ...likelyPaths.filter((path) => path !== apiPath)]
  const answers: Look[] = []
  for (const path of paths) {
    const answer = await get(target, path + modelsPath)
    // Without any answer there is nothing to choose by; the first contact says why.
    if (answer.status === undefined || signOf(answer) === 'list') return path
    answers.push({ path, answer })
  }
  const place =
    answers.find(({ answer }) => signOf(answer) === 'something')?.path ??
    (await withChat(target, paths)) ??
    (await takingChats(target, paths))
  if (place !== undefined) return place
  const elsewhere = redirected(
    baseUrl,
    answers.map(({ answer }) => answer),
  )
  if (elsewhere !== undefined) throw elsewhere
  throw new HarnessError(
    'not-a-gateway',
    `Nothing at ${baseUrl} answers like an inference gateway: ${inWords(answers)}.`,
  )
}

/** Where a model list answers below the same address, if that is another path than the configured one. */
export async function otherPlace(target: Target): Promise<string | undefined> {
  for (const path of likelyPaths) {
    const isOther = path !== target.config.apiPath
    if (isOther && signOf(await get(target, path + modelsPath)) === 'list') return path
  }
  return undefined
}

/** The first of these paths where the chat route exists: a GET is refused there with something else than 404. */
export async function withChat(target: Target, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (signOf(await get(target, path + chatPath)) === 'something') return path
  return undefined
}

/**
 * The first of these paths that answers a chat without a message otherwise than a path that no server has. Many servers say 404 to
 * a GET where they only take a POST.
 */
async function takingChats(target: Target, paths: readonly string[]): Promise<string | undefined> {
  const nowhere = await postNothing(target, '/assay-preflight')
  for (const path of paths) {
    const answer = await postNothing(target, path)
    if (answer.status === nowhere.status || !isRecord(answer.json)) continue
    if (resemblesCompletion(answer) || signOf(answer) === 'something') return path
  }
  return undefined
}

function postNothing(target: Target, path: string): Promise<Answer> {
  return target.send({ method: 'POST', path: `/${path + chatPath}`, body: '{}', despiteSilence: true })
}

function get(target: Target, path: string): Promise<Answer> {
  return target.send({ method: 'GET', path: `/${path}`, despiteSilence: true })
}

function signOf(answer: Answer): Sign {
  const { status, json } = answer
  if (isSuccess(answer)) {
    const isList = rosterOf(answer).length > 0 || Array.isArray(json) || Array.isArray(Object(json).data)
    if (isList) return 'list'
    return mediaType(answer.exchange) === 'text/event-stream' ? 'something' : 'nothing'
  }
  return status === undefined || status < 400 || status === 404 ? 'nothing' : 'something'
}

/** What was found where, with the paths of one finding together. */
function inWords(answers: readonly Look[]): string {
  const findings = Map.groupBy(answers, ({ answer }) => finding(answer))
  return [...findings]
    .map(([words, some]) => `${words} for GET ${some.map(({ path }) => path + modelsPath).join(', ')}`)
    .join('; ')
}

/** An answer that is not the API, in a few words. */
export function finding({ status, exchange }: Pick<Answer, 'status' | 'exchange'>): string {
  const location = headerOf(exchange, 'location')
  const type = mediaType(exchange)
  const kind = location !== undefined ? `to ${location}` : type === 'text/html' ? 'a web page' : type
  return `status ${status ?? 'none'}${kind === undefined ? '' : ` (${kind})`}`
}
