import type { FastifyRequest } from 'fastify'
import { FieldError } from '../fields.ts'
import type { SignInLimit } from '../sign-in-limit.ts'

/** Throws `FieldError` when there were too many attempts from this address or for this person. */
export function requireAttempt(limit: SignInLimit, request: FastifyRequest, who?: string): void {
  const waitS = limit.attempt(request.ip, who)
  if (waitS > 0) throw new FieldError('password', `Too many attempts: try again in ${waitS} seconds.`)
}
