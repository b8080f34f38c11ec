interface Token {
  readonly id: number
  readonly key: string
}

interface Answer {
  readonly success: boolean
  readonly message: string
  readonly data?: unknown
}

/** The administration of a new one-api, by its HTTP API. */
export async function oneApiAdmin(baseUrl: string) {
  let cookie = ''
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(`${baseUrl}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', cookie },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie
    const { success, message, data } = (await answer.json()) as Answer
    if (!success) throw new Error(`one-api answered ${method} ${path} with: ${message}`)
    return data
  }
  // What a new installation comes with.
  await call('POST', '/user/login', { username: 'root', password: '123456' })
  return {
    /** A provider in the format of chat completions. */
    async addChannel(url: string): Promise<void> {
      await call('POST', '/channel/', {
        name: url,
        type: 1,
        key: 'sk-node',
        base_url: url,
        models: 'small',
        group: 'default',
        groups: ['default'],
        config: '{}',
      })
    },
    async setOption(key: string, value: string): Promise<void> {
      await call('PUT', '/option/', { key, value })
    },
    /** A key without a limit, or with so much quota. */
    async addToken(name: string, quota?: number): Promise<Token> {
      const made = await call('POST', '/token/', {
        name,
        expired_time: -1,
        remain_quota: quota ?? 500_000,
        unlimited_quota: quota === undefined,
      })
      const { id, key } = made as Token
      return { id, key: `sk-${key}` }
    },
    async deleteToken({ id }: Token): Promise<void> {
      await call('DELETE', `/token/${id}`)
    },
  }
}
