import type { JudgingFields } from '../check/check.ts'
import type { CheckContext } from '../check/context.ts'
import { isRecord } from '../json.ts'
import { type Answer, doneMarker, isErrorEvent, type StreamAnswer } from '../target/answer.ts'
import type { ChatBody } from '../target/chat.ts'
import type { Prepared } from '../target/prepare.ts'

/** The fields that differ between audits. */
export type AuditFields = Pick<JudgingFields, 'states' | 'sameCauseAs' | 'wrong' | 'why' | 'fix'>

type Expect = CheckContext['expect']

/** What all audits of one kind of answer share: they look at what others asked for, and send nothing themselves. */
export function audited(fields: AuditFields, root: 'chat.answers' | 'stream.answers'): Omit<JudgingFields, 'run'> {
  return { ...fields, dependsOn: [root], phase: 'audit', cost: { requests: 0, tokens: 0 } }
}

/** No two of these answers may have one id; two that do are both evidence. */
export function expectDifferentIds(
  { expect, witness }: Pick<CheckContext, 'expect' | 'witness'>,
  what: string,
  named: readonly { readonly id: string; readonly answer: Answer }[],
): void {
  const twin = named.find(({ id }, place) => named.findIndex((other) => other.id === id) < place)
  const first = named.find(({ id }) => id === twin?.id)
  if (first !== undefined) witness(first.answer)
  expect(what, twin === undefined ? [] : [twin.id], twin?.answer).is([])
}

/** Looks at every JSON object that came as a reply without streaming; another check covers replies of other forms. */
export function onEveryReply(
  fields: AuditFields,
  look: (expect: Expect, reply: Answer, asked: ChatBody, prepared: Prepared) => void,
): JudgingFields {
  return {
    ...audited(fields, 'chat.answers'),
    async run({ samples, expect, prepared }) {
      for (const { answer, asked } of await samples.replies())
        if (isRecord(answer.json)) look(expect, answer, asked, prepared)
    },
  }
}

/** Looks at every stream of the run that has an event; `stream.content-type` covers those without. */
export function onEveryStream(
  fields: AuditFields,
  look: (expect: Expect, stream: StreamAnswer, asked: ChatBody, prepared: Prepared) => void,
): JudgingFields {
  return {
    ...audited(fields, 'stream.answers'),
    async run({ samples, expect, prepared }) {
      for (const { answer, asked } of await samples.streams())
        if (answer.events.length > 0) look(expect, answer, asked, prepared)
    },
  }
}

/** Looks at every stream of the run that was read to its end. */
export function onWholeStreams(
  fields: AuditFields,
  look: (expect: Expect, stream: StreamAnswer) => void,
): JudgingFields {
  return {
    ...audited(fields, 'stream.answers'),
    async run({ samples, expect }) {
      for (const { answer } of await samples.wholeStreams()) if (answer.events.length > 0) look(expect, answer)
    },
  }
}

/** Looks at every whole stream that sent [DONE], at least once; `stream.ends-with-done` covers those without. */
export function onMarkedStreams(
  fields: AuditFields,
  look: (expect: Expect, stream: StreamAnswer) => void,
): JudgingFields {
  return {
    ...audited(fields, 'stream.answers'),
    async run({ samples, expect, notApplicable }) {
      const marked = (await samples.wholeStreams()).filter(({ answer }) => answer.events.some(isDoneMarker))
      for (const { answer } of marked) look(expect, answer)
      if (marked.length === 0) throw notApplicable('no stream sends [DONE], which another check reports')
    },
  }
}

export function isDoneMarker({ data }: { readonly data: string }): boolean {
  return data.trim() === doneMarker
}

type ChunkLook = (expect: Expect, chunk: unknown, stream: StreamAnswer, asked: ChatBody, prepared: Prepared) => void

/** Looks at every chunk of the run that is a JSON object; another check covers other chunks. */
export function onEveryChunk(fields: AuditFields, look: ChunkLook): JudgingFields {
  return onEveryStream(fields, (expect, stream, asked, prepared) => {
    // An event that reports a failure is no chunk, and may have any form.
    for (const { json } of stream.chunks)
      if (isRecord(json) && !isErrorEvent(json)) look(expect, json, stream, asked, prepared)
  })
}

/** Judges an optional field only in the chunks that carry it. */
export function whereCarried(fields: AuditFields, name: string, look: ChunkLook): JudgingFields {
  return {
    ...audited(fields, 'stream.answers'),
    async run({ samples, expect, notApplicable, prepared }) {
      let carried = 0
      for (const { answer, asked } of await samples.streams()) {
        for (const { json } of answer.chunks) {
          if (!isRecord(json) || !(name in json)) continue
          carried += 1
          look(expect, json, answer, asked, prepared)
        }
      }
      if (carried === 0) throw notApplicable(`no chunk carries ${name}, which the contract leaves open`)
    },
  }
}
