/** What a deployment does if MODE does not fit the worlds of its database. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { DRIVERS } from './providers/registry.ts'
import { call, clickWidget, createSession, lookUp, readPage } from './testing/calls.ts'
import { createEmptyDatabase, createTestDatabase } from './testing/database.ts'
import { type Shop, spawnKassa } from './testing/harness.ts'
import { operate, operateJson, operateProcess } from './testing/operator.ts'
import { openTwoWorlds } from './testing/scene/live.ts'
import { type ServedHere, serveHere } from './testing/serve-here.ts'

const LIVE = {
  MODE: 'live',
  BASE_URL: 'https://pay.example',
  RATE_LIMITS: 'write=1000:1000',
  TRUST_PROXY: '1',
  DEFAULT_PROVIDER: 'manual',
  AUDIT_CHECKPOINT_DIR: tmpdir(),
}
const UNSET =
  'This database has a live world, and MODE is not set. Set MODE=live to serve real payments, or MODE=sandbox to serve only the sandbox.'

const both = await openTwoWorlds()

describe('on a database with a live world', () => {
  const DATABASE_URL = both.kassa.databaseUrl

  test('a service without MODE ends with an error, and says what to set', { tags: ['long'] }, async () => {
    await expect(spawnKassa({ DATABASE_URL, MODE: '' })).rejects.toThrow(`Kassa ended with 1:\n${UNSET}`)
  })

  test.each([
    ['a server', { PROCESS: 'web' }],
    ['a worker', { PROCESS: 'worker' }],
  ])('%s without MODE does not start, and says what to set', async (_name, settings) => {
    await expect(serveHere({ ...settings, DATABASE_URL, MODE: '' })).rejects.toThrow(
      `Kassa did not start:\n${UNSET}`,
    )
  })

  test('a command without MODE does nothing, and says what to set', { tags: ['long'] }, async () => {
    const { code, stdout, stderr } = await operateProcess({ DATABASE_URL, MODE: '' }, ['merchant', 'list'])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(/^Kassa in .+\n/)])
    expect(stderr).toContain(`\n${UNSET}\n`)
  })

  test('a misspelt name does not count as MODE, and the start reports both problems', async () => {
    const start = serveHere({ DATABASE_URL, MODE: '', mode: 'live' })
    await expect(start).rejects.toThrow(/mode is not a setting and has no effect\. Did you mean MODE\?/)
    await expect(start).rejects.toThrow(UNSET)
  })

  test('a misspelt value of MODE is rejected', async () => {
    await expect(serveHere({ DATABASE_URL, MODE: 'Live' })).rejects.toThrow(
      'MODE: must be one of sandbox, live, not "Live"',
    )
  })

  test('live without what it needs does not start, and says each reason', async () => {
    const start = serveHere({ DATABASE_URL, MODE: 'live', SECRETS_KEY: '', ROUTE_A_DRIVER: 'sandbox' })
    for (const reason of [
      'BASE_URL: live mode needs an https address',
      'SECRETS_KEY: live mode needs a key of your own',
      'RATE_LIMITS: live mode needs rate limits',
      `ROUTE_A_DRIVER: must be one of ${Object.keys(DRIVERS)
        .filter((name) => DRIVERS[name]?.driver.liveCapable)
        .join(', ')} in live mode, not "sandbox", which is simulated`,
    ])
      await expect(start).rejects.toThrow(reason)
  })

  describe('a service with MODE=sandbox', () => {
    let served: ServedHere
    let live: { shop: Shop; payment: string }
    beforeAll(async () => {
      const { body } = await createSession(both.kassa.url, both.liveShop, { key: 'kept' })
      live = { shop: both.liveShop, payment: body.id }
      served = await serveHere({ DATABASE_URL, MODE: 'sandbox' })
    })
    afterAll(() => served.stop())

    test('starts, and warns that real payments are not served', async () => {
      expect(served.output().match(/^Warning: .*$/gm)).toEqual([
        'Warning: This database has a live world, and MODE=sandbox serves only the sandbox. Buyers cannot pay with real money, and merchants get no events about real payments. Set MODE=live to serve both worlds.',
      ])
      const health = await call(`${served.url}/api/health`, { method: 'GET' })
      expect(health.body).toMatchObject({ ready: true, mode: 'sandbox' })
    })

    test('serves the sandbox', async () => {
      const { status, body } = await createSession(served.url, both.sandboxShop, { key: 'test' })
      expect([status, body.livemode]).toEqual([201, false])
    })

    test('rejects a live token, key, payment and page, and says why', async () => {
      const created = await createSession(served.url, live.shop, { key: 'other' })
      expect([created.status, created.body.error]).toEqual([
        401,
        expect.objectContaining({
          code: 'invalid_token',
          hint: 'This service does not serve the world of this token.',
        }),
      ])
      const clicked = await clickWidget(served.url, live.shop)
      expect([clicked.status, clicked.body.error.code]).toEqual([403, 'widget_key_invalid'])
      expect((await lookUp(served.url, both.sandboxShop, live.payment)).status).toBe(404)
      expect((await readPage(`${served.url}/checkout/${live.payment}`)).status).toBe(404)
    })

    test('the doctor says that real payments are not served, and what to set', {
      tags: ['long'],
    }, async () => {
      const doctor = async (MODE: string) => {
        const { answer } = await operateJson({ DATABASE_URL, MODE }, ['service', 'doctor'])
        return answer.findings.filter(({ about }: { about: string }) => about === 'Mode')
      }
      const found = { state: 'bad', about: 'Mode', next: 'MODE=live npm start' }
      expect(await doctor('sandbox')).toEqual([
        {
          ...found,
          message: expect.stringMatching(/^This database has a live world, and MODE=sandbox serves/),
        },
      ])
      expect(await doctor('')).toEqual([{ ...found, message: UNSET }])
    })

    test('a backup of both worlds is restored without MODE, and the command says what the service needs', {
      tags: ['long'],
    }, async () => {
      const folder = await mkdtemp(join(tmpdir(), 'kassa-mode-'))
      const empty = await createEmptyDatabase(inject('postgresUrl'))
      try {
        const directory = join(folder, 'backup')
        expect((await operate({ DATABASE_URL }, ['backup', 'create', '--to', directory])).code).toBe(0)
        const restore = ['backup', 'restore', '--from', directory]
        const { code, stdout } = await operate({ DATABASE_URL: empty.url, MODE: '' }, restore)
        expect([code, stdout]).toEqual([0, expect.stringContaining('Set MODE=live before you start')])
      } finally {
        await empty.drop()
        await rm(folder, { recursive: true })
      }
    })

    test('a command with --live is rejected with the reason', async () => {
      const { code, stderr } = await operate({ DATABASE_URL }, ['merchant', 'list', '--live'])
      const reason = 'This deployment serves the sandbox alone, so there is no live world to work on.'
      expect([code, stderr]).toEqual([1, expect.stringContaining(reason)])
    })
  })
})

test('the first start with MODE=live adds the live world, and from then on MODE must be set', async () => {
  const database = await createTestDatabase(inject('postgresUrl'))
  const given = { DATABASE_URL: database.url }
  try {
    const before = await serveHere({ ...given, MODE: '' })
    await before.stop()
    expect(before.output()).not.toContain('Warning')
    const live = await serveHere({ ...given, ...LIVE })
    expect((await call(`${live.url}/api/health`, { method: 'GET' })).body.mode).toBe('live')
    expect(live.output().toLowerCase()).not.toContain('warning')
    await live.stop()
    const tried = await operateJson(given, ['service', 'doctor'])
    expect(tried.answer.findings).toContainEqual(expect.objectContaining({ state: 'open', about: 'Mode' }))
    await expect(serveHere({ ...given, MODE: '' })).rejects.toThrow(UNSET)
  } finally {
    await database.drop()
  }
})
