import { Visitor } from '../../../reference-server/dashboard/test-visitor.ts'

/** Somebody who is signed in to the dashboard. */
export interface Session {
  readonly cookie: string
  /** What a form of these pages carries. */
  readonly csrf: string
}

/** Sends the form of a page where one signs in or up. */
export async function signIn(
  dashboardUrl: string,
  path: string,
  fields: Readonly<Record<string, string>>,
): Promise<Session> {
  const visitor = new Visitor(dashboardUrl.replace(/\/$/, ''))
  const { status } = await visitor.post(path, fields, path)
  if (status !== 303) throw new Error(`nobody can sign in at ${path}: ${status}`)
  return { csrf: await visitor.token(path), cookie: visitor.cookie }
}
