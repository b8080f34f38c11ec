import { html } from '../../../src/markup/html.ts'
import type { FieldError } from '../fields.ts'
import { type Frame, form, notice, type Page } from './layout.ts'

/** What was typed, and what was wrong with it. */
export interface Attempt {
  readonly email?: string
  readonly error?: FieldError
}

export function signUpPage(frame: Frame, freeCreditUsd: string, { email = '', error }: Attempt): Page {
  const body = html`<p>A new account starts with $${freeCreditUsd} of free credit. No card needed.</p>
${error && notice('bad', error.message)}
${form(
  frame,
  '/sign-up',
  html`<label>E-mail <input type="email" name="email" value="${email}" autocomplete="username" required${invalid('email', error)}></label>
<label>Password <input type="password" name="password" autocomplete="new-password" minlength="12" required aria-describedby="rule"${invalid('password', error)}><small id="rule">At least 12 characters.</small></label>
<button>Open an account</button>`,
  'Sign up',
)}`
  return { title: 'Open an account', body }
}

export function signInPage(frame: Frame, { email = '', error }: Attempt): Page {
  const body = html`${error && notice('bad', error.message)}
${form(
  frame,
  '/sign-in',
  html`<label>E-mail <input type="email" name="email" value="${email}" autocomplete="username" required${invalid('email', error)}></label>
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button>`,
  'Sign in',
)}
<p><a href="${frame.root}/sign-up">Open an account</a> · <a href="${frame.root}/operator/sign-in">Sign in as the operator</a></p>`
  return { title: 'Sign in', body }
}

export function operatorSignInPage(frame: Frame, error: FieldError | undefined): Page {
  const body = html`<p>Use the password that the gateway was started with, or that it printed when it started.</p>${error && notice('bad', error.message)}
${form(
  frame,
  '/operator/sign-in',
  html`<label>Password <input type="password" name="password" autocomplete="current-password" required></label><button>Sign in</button>`,
  'Sign in as the operator',
)}`
  return { title: 'Operator', body }
}

function invalid(field: string, error: FieldError | undefined) {
  return error?.field === field && html` aria-invalid="true"`
}
