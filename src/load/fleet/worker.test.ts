import { expect, test } from 'vitest'
import { joinFleet } from './worker.ts'

test('a machine that finds no Redis gives up, and says so once, with the address and without its password', async () => {
  const notices: string[] = []
  const joining = joinFleet({
    url: 'redis://:secret@127.0.0.1:1',
    headers: {},
    onNotice: (notice) => notices.push(notice),
    firstAnswerMsMax: 500,
  })
  await expect(joining).rejects.toMatchObject({
    code: 'no-redis',
    exitCode: 3,
    detail: 'Nothing answers at redis://127.0.0.1:1 (tried for 0.5 s: connect ECONNREFUSED 127.0.0.1:1).',
  })
  expect(notices).toEqual(['Redis: connect ECONNREFUSED 127.0.0.1:1'])
})
