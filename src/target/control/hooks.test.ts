import { describe, expect, test } from 'vitest'
import { Unsettled } from '../unsettled.ts'
import { createControl } from './control.ts'
import { type ControlHooks, runHook, variableOf } from './hooks.ts'
import { createOpenThings } from './open-things.ts'

const print = (variable: string): string =>
  `${JSON.stringify(process.execPath)} -e 'process.stdout.write(JSON.stringify({ id: process.env.${variable} }))'`

const silent = { send: () => Promise.reject(new Error('commands need no network')), close: async () => {} }

function controlOf(hooks: ControlHooks) {
  return createControl({ hooks }, silent, () => {}, createOpenThings())
}

describe('commands for the verbs of the control API', () => {
  test('find their values in the environment, whatever is in them', async () => {
    const name = `Zoë "quoted" 'single' $(touch /tmp/never) \n \\ ;`
    expect(JSON.parse(await runHook({ openAccount: print('ASSAY_NAME') }, 'openAccount', { name }))).toEqual({
      id: name,
    })
    expect(variableOf('requestsPerMinute')).toBe('ASSAY_REQUESTS_PER_MINUTE')
  })

  test('that are missing, fail or print nonsense leave a check undecided and show no secret', async () => {
    const secret = 'sk-assay-secret-in-the-output'
    const fails = controlOf({ openAccount: `echo ${secret} >&2; exit 7`, account: 'echo nonsense' })
    await expect(fails.openAccount('a')).rejects.toThrow(/openAccount failed with 7/)
    await expect(fails.openAccount('a')).rejects.not.toThrow(new RegExp(secret))
    await expect(fails.account('a')).rejects.toThrow(/account answered something that is not JSON/)
    await expect(fails.keyUsage('k')).rejects.toBeInstanceOf(Unsettled)
  })

  test('that take too long are ended with what they started, and said to have taken too long', async () => {
    const late = runHook({ account: 'sleep 30 | cat' }, 'account', { accountId: 'a' }, 50)
    await expect(late).rejects.toThrow('account took longer than 0.05 s')
  })

  test('restart a gateway whatever they print and leave running', async () => {
    const restart = 'echo restarted; sleep 5 & true'
    const beside = createControl(
      { url: 'http://127.0.0.1:1', restartCommand: restart },
      silent,
      () => {},
      createOpenThings(),
    )
    await expect(Promise.all([controlOf({ restart }).restart(), beside.restart()])).resolves.toHaveLength(2)
    await expect(controlOf({ restart: 'exit 3' }).restart()).rejects.toThrow(/restart failed with 3/)
    await expect(controlOf({ account: 'true' }).restart()).rejects.toThrow('no command for restart')
  })

  test('close what was opened, and say what could not be closed', async () => {
    const works = controlOf({ openAccount: print('ASSAY_NAME'), closeAccount: 'true' })
    await works.openAccount('mine')
    expect(await works.undo()).toEqual([])
    const stuck = controlOf({ openAccount: print('ASSAY_NAME'), closeAccount: 'false' })
    await stuck.openAccount('mine')
    expect(await stuck.undo()).toEqual(['account mine'])
    expect(await stuck.undo()).toEqual([])
  })

  test('close what is being opened when the check ends, and open nothing after it', async () => {
    const open = createOpenThings()
    const told: (readonly string[])[] = []
    open.watch((all) => told.push(all))
    const hooks = { openAccount: `sleep 0.2; ${print('ASSAY_NAME')}`, closeAccount: 'true' }
    const control = createControl({ hooks }, silent, () => {}, open)
    const opening = control.openAccount('late')
    expect(await control.undo()).toEqual([])
    expect(await opening).toBe('late')
    await expect(control.openAccount('too late')).rejects.toThrow('the check is over')
    expect(told[0]).toEqual(['an account named late, if it was opened'])
    expect(told).toContainEqual(['account late'])
    expect(told.at(-1)).toEqual([])
  })
})
