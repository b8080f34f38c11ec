import type { ReadyGenerator } from './node.ts'

/** How something comes about: its parts, and between them what has to be waited for. A wait must not reject: see `waitedFor`. */
export type Course<T, R> = Generator<T | Promise<void>, R>

/** A course as others read it: only a step that has to be waited for costs a promise. */
export class CourseReader<T, R> implements ReadyGenerator<T, R> {
  readonly #course: Course<T, R>
  #wait: Promise<void> | undefined

  constructor(course: Course<T, R>) {
    this.#course = course
  }

  takeReady(): IteratorResult<T, R> | undefined {
    if (this.#wait !== undefined) return undefined
    try {
      const step = this.#course.next()
      if (step.done === true || !(step.value instanceof Promise)) return step as IteratorResult<T, R>
      this.#wait = step.value
    } catch (error) {
      // It is for `next` to say so.
      this.#wait = Promise.reject(error)
      this.#wait.catch(() => undefined)
    }
    return undefined
  }

  async next(): Promise<IteratorResult<T, R>> {
    for (;;) {
      const ready = this.takeReady()
      if (ready !== undefined) return ready
      await this.#wait
      this.#wait = undefined
    }
  }

  async return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>> {
    return this.#course.return(await value) as IteratorReturnResult<R>
  }

  async throw(error: unknown): Promise<IteratorResult<T, R>> {
    await this[Symbol.asyncDispose]()
    throw error
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#course.return(undefined as R)
  }
}

/** In a course, what a promise resolves to; what it rejects with is thrown in the course. */
export function* waitedFor<T>(promise: Promise<T>): Generator<Promise<void>, T> {
  let outcome: { readonly value: T } | { readonly error: unknown } | undefined
  yield promise.then(
    (value) => {
      outcome = { value }
    },
    (error: unknown) => {
      outcome = { error }
    },
  )
  if (outcome === undefined) throw new Error('a course goes on when its wait is over')
  if ('error' in outcome) throw outcome.error
  return outcome.value
}
