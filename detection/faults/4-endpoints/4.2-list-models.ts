import { changingList } from '../../wraps/list.ts'
import { refusal } from '../../wraps/request.ts'
import { slowStreamsFrom } from '../../wraps/stream.ts'
import type { Fault } from '../fault.ts'

/** Gateways that the checks of `suites/4-endpoints/4.2-list-models.ts` must notice. */
export const listModelsFaults = {
  'models-empty-from-the-third-time-on': {
    about: 'The model list is empty from the third request on.',
    breaks: ['models.stable', 'model.down-and-up'],
    wrap: () => {
      let asked = 0
      return {
        listModels: (real) => (models, call) => {
          asked += 1
          return real(asked > 2 ? [] : models, call)
        },
      }
    },
  },
  'busy-model-is-not-listed': {
    about: 'A model is missing from the list while a stream of it runs.',
    breaks: ['models.listed-while-busy'],
    wrap: () => {
      const busy = new Map<string, number>()
      const count = (model: string, change: number): void => {
        busy.set(model, (busy.get(model) ?? 0) + change)
      }
      return {
        ...slowStreamsFrom(200),
        ...changingList((list) => ({
          ...list,
          data: (list['data'] as readonly { id: string }[]).filter(({ id }) => (busy.get(id) ?? 0) === 0),
        })),
        openStream: (real) => (head, call) => {
          const model = call.model?.id ?? ''
          count(model, 1)
          call.response.on('close', () => count(model, -1))
          return real(head, call)
        },
      }
    },
  },
  'models-as-text': {
    about: 'The model list is labelled text/plain.',
    breaks: ['models.content-type'],
    wrap: () => ({ listHead: () => () => ({ status: 200, headers: { 'content-type': 'text/plain' } }) }),
  },
  'models-fail-in-parallel': {
    about: 'When more than two requests for the model list run at once, the extra ones fail.',
    breaks: ['models.stable'],
    wrap: () => {
      let busy = 0
      return {
        serve: (real) => async (call) => {
          if (!call.request.url?.endsWith('/models')) return real(call)
          busy += 1
          if (busy > 2) call.response.writeHead(500, { 'content-type': 'application/json' }).end('{"error":{}}')
          else {
            await new Promise((done) => setTimeout(done, 8))
            await real(call)
          }
          busy -= 1
        },
      }
    },
  },
  'list-fails-for-limited-keys': {
    about: 'The model list crashes for a key that has limits.',
    breaks: ['models.for-every-key'],
    wrap: () => ({
      listModels: (real) => (models, call) => {
        if (call.caller?.key.requestsPerMinute !== undefined) throw refusal(500)
        return real(models, call)
      },
    }),
  },
} as const satisfies Record<string, Fault>
