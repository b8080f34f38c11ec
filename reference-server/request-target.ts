export interface RequestTarget {
  readonly path: string
  readonly query: string
}

/** The parts of a request target, which may be a whole URL, and which a client may have made of anything. */
export function readTarget(target = '/'): RequestTarget {
  const [, path = '', query = ''] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(target) ?? []
  return { path, query }
}
