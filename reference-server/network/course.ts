import type { FinishReason, Fragment, Fragments } from './node.ts'

/** How a reply comes about: its fragments, and between them what has to be waited for. */
export type Course = Generator<Fragment | Promise<void>, FinishReason>

type Step = IteratorResult<Fragment, FinishReason>

/** A course as others read it: only a step that has to be waited for costs a promise. */
export class CourseReader implements Fragments {
  readonly #course: Course
  #wait: Promise<void> | undefined

  constructor(course: Course) {
    this.#course = course
  }

  takeReady(): Step | undefined {
    if (this.#wait !== undefined) return undefined
    try {
      const step = this.#course.next()
      if (step.done === true || !(step.value instanceof Promise)) return step as Step
      this.#wait = step.value
    } catch (error) {
      // It is for `next` to say so.
      this.#wait = Promise.reject(error)
      this.#wait.catch(() => undefined)
    }
    return undefined
  }

  async next(): Promise<Step> {
    for (;;) {
      const ready = this.takeReady()
      if (ready !== undefined) return ready
      await this.#wait
      this.#wait = undefined
    }
  }

  async return(reason: FinishReason | PromiseLike<FinishReason>): Promise<Step> {
    return { done: true, value: (this.#course.return(await reason) as IteratorReturnResult<FinishReason>).value }
  }

  async throw(error: unknown): Promise<Step> {
    this.#course.return('stop')
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#course.return('stop')
  }
}
