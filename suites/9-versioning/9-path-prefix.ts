import { clause, must, open } from '../../src/check/check.ts'
import { chatPath, chatText, modelsPath } from '../../src/target/chat.ts'
import { listAt } from '../../src/target/json.ts'
import { readRoster } from '../../src/target/roster.ts'

export const pathPrefix = clause('9', [
  must('version.routes-under-prefix', {
    states: ['version-in-path'],
    dependsOn: ['chat.answers', 'models.names-a-model'],
    cost: { requests: 2, tokens: 60 },
    why: 'Clients are given one base address, and add the two paths to it.',
    fix: 'Serve both routes under the same prefix, /api/v1.',
    async run({ ask, modelList, target, expect }) {
      const reply = await ask()
      expect(`choices at ${target.config.apiPath}${chatPath}`, listAt(reply.json, 'choices').length, reply).isAtLeast(1)
      const list = await modelList()
      expect(`ids at ${target.config.apiPath}${modelsPath}`, readRoster(list.json).length, list).isAtLeast(1)
    },
  }),
  open('version.other-prefixes', {
    states: ['other-versions-open'],
    dependsOn: ['chat.answers'],
    cost: { requests: 3, tokens: 180 },
    why: 'Other versions and bare paths are left open.',
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
