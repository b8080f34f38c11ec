import { clause, must, open } from '../../src/check/check.ts'
import { type Answer, isSuccess } from '../../src/target/answer.ts'
import { chatPath, chatRequest, chatText, modelsPath } from '../../src/target/chat.ts'
import { readRoster } from '../../src/target/roster.ts'

export const pathPrefix = clause('9', [
  must('version.routes-under-prefix', {
    states: ['version-in-path'],
    sameCauseAs: ['models.names-a-model'],
    phase: 'first',
    cost: { requests: 2, tokens: 60, quick: 1 },
    wrong: 'A route is missing under the path prefix of the version.',
    why: 'Clients are given one base address, and fail if the two paths are not both under it.',
    fix: 'Serve both routes under the same prefix, /api/v1.',
    async run({ settled, modelList, prepared, target, expect, undecidable }) {
      const list = await modelList()
      expect(`status of GET ${target.config.apiPath}${modelsPath}`, list.status ?? 0, list).satisfies(
        'a route that exists',
        exists(list),
      )
      if (isSuccess(list) && readRoster(list.json).length === 0)
        throw undecidable('the path does not hold a model list')
      // A 404 speaks of the path only if the model is known.
      if (prepared.model === undefined) return
      const chat = await settled(chatRequest(prepared.model, {}))
      expect(`status of POST ${target.config.apiPath}${chatPath}`, chat.status ?? 0, chat).satisfies(
        'a route that exists',
        exists(chat),
      )
    },
  }),
  open('version.other-prefixes', {
    states: ['other-versions-open'],
    phase: 'odd',
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 180 },
    why: 'Clients want to know whether other versions and bare paths are served.',
    fix: 'Nothing to mend: the contract leaves it open.',
    async run({ send, model }) {
      const seen: Record<string, number | undefined> = {}
      for (const prefix of ['', '/v1', '/api/v2']) {
        seen[`${prefix}${chatPath}`] = (
          await send({ method: 'POST', path: `/${prefix}${chatPath}`, body: chatText(model, {}) })
        ).status
      }
      return seen
    },
  }),
])

function exists({ status }: Answer): boolean {
  return status !== undefined && status !== 404 && status !== 405
}
