/** The keys of stored secrets: a first SECRETS_KEY, replacing keys while the service runs, and wrong keys. */

import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { readConfig } from '../config.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { rotateSecrets } from '../operator/rotate-secrets.ts'
import { addWebhookSecret, openWebhookSecrets, rotateWebhookSecret } from '../receivers/secret.ts'
import { openService, type Service } from '../service.ts'
import { inTransaction } from '../storage/db.ts'
import { call } from '../testing/calls.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { operate } from '../testing/operator.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'
import { rotateUnderLoad } from './keys.suite.ts'
import { keyIdOf } from './vault.ts'

const newKey = () => randomBytes(32).toString('base64')
const LIVE = { MODE: 'live', BASE_URL: 'https://pay.example', TRUST_PROXY: '1', DEFAULT_PROVIDER: 'manual' }

let database: TestDatabase
let dataDir: string
let running: { close(): Promise<unknown> }[]
beforeEach(async () => {
  running = []
  database = await createTestDatabase(inject('postgresUrl'))
  dataDir = await mkdtemp(join(tmpdir(), 'kassa-keys-'))
})
afterEach(async () => {
  await Promise.all(running.map((each) => each.close()))
  await database.drop()
  await rm(dataDir, { recursive: true })
})

const given = (settings: Record<string, string>) => ({
  MODE: 'sandbox',
  LOG_LEVEL: 'silent',
  DATABASE_URL: database.url,
  DATA_DIR: dataDir,
  ...settings,
})

async function open(settings: Record<string, string>): Promise<Service> {
  const service = await openService(readConfig(given(settings)))
  running.push(service)
  return service
}

/** A process with older keys would rightly stop a rotation. */
async function close(service: Service): Promise<void> {
  running = running.filter((each) => each !== service)
  await service.close()
}

async function serve(settings: Record<string, string>): Promise<ServedHere> {
  const service = await serveHere(given({ LOG_LEVEL: 'warn', ...settings }))
  running.push({ close: service.stop })
  return service
}

const keysIn = async ({ worlds: { sandbox } }: Service) =>
  (
    await sandbox.db.query(
      'select key_id as id, count(*)::int as count from sandbox.webhook_secrets group by 1',
    )
  ).rows

describe('a SECRETS_KEY that is set for the first time', () => {
  test('when going live opens what the key of the data directory sealed, and seals new secrets', {
    tags: ['long'],
  }, async () => {
    const before = await open({})
    const first = await createMerchant(before.ctx, { name: 'First', callbackUrl: undefined })
    const kept = (await readFile(join(dataDir, 'secrets-key'), 'utf8')).trim()
    const key = newKey()
    const { worlds } = await open({ ...LIVE, SECRETS_KEY: key })
    expect(await openWebhookSecrets(worlds.sandbox, first.merchantId)).toEqual([first.webhookSecret])
    const second = await createMerchant(worlds.sandbox, { name: 'Second', callbackUrl: undefined })
    expect(await openWebhookSecrets(worlds.sandbox, second.merchantId)).toEqual([second.webhookSecret])
    expect(await keysIn(before)).toEqual(
      expect.arrayContaining([
        { id: keyIdOf(kept), count: 1 },
        { id: keyIdOf(key), count: 1 },
      ]),
    )
  })

  test('starts the service in live mode without another step', { tags: ['long'] }, async () => {
    await createMerchant((await open({})).ctx, { name: 'First', callbackUrl: undefined })
    const limits = { RATE_LIMITS: 'write=1000:1000' }
    const live = await serve({ ...LIVE, ...limits, SECRETS_KEY: newKey() })
    const { body: health } = await call(`${live.url}/api/health`, { method: 'GET' })
    expect(health).toMatchObject({ ready: true, mode: 'live' })
  })

  test('is the only key after a rotation, also while the file of the data directory is still there', {
    tags: ['long'],
  }, async () => {
    const before = await open({})
    await createMerchant(before.ctx, { name: 'First', callbackUrl: undefined })
    const SECRETS_KEY = newKey()
    expect((await open({ SECRETS_KEY })).ctx.vault.keyIds).toHaveLength(2)
    expect(await rotateSecrets((await open({ SECRETS_KEY })).ctx)).toBe(1)
    expect((await open({ SECRETS_KEY })).ctx.vault.keyIds).toEqual([keyIdOf(SECRETS_KEY)])
    expect((await readFile(join(dataDir, 'secrets-key'), 'utf8')).trim()).not.toBe('')
  })
})

describe('secrets rotate', () => {
  /** `npm run test:long` runs more. */
  test('while a service runs under load leaves nothing unreadable, and afterwards the old key is not needed', async () => {
    await rotateUnderLoad({ merchants: 102, payments: 12, late: 4 })
  })

  test('waits for a secret that another process has locked, and seals it too', async () => {
    const [OLD, NEW] = [newKey(), newKey()]
    const { ctx } = await open({ SECRETS_KEY: OLD })
    const { merchantId } = await createMerchant(ctx, { name: 'Busy', callbackUrl: undefined })
    await createMerchant(ctx, { name: 'Idle', callbackUrl: undefined })
    const both = await open({ SECRETS_KEY: `${NEW},${OLD}` })
    const locked = Promise.withResolvers<void>()
    const isWaited = Promise.withResolvers<void>()
    const holding = inTransaction(ctx.db, async (tx) => {
      await tx.query('select from sandbox.webhook_secrets where merchant_id = $1 for update', [merchantId])
      locked.resolve()
      await isWaited.promise
    })
    await locked.promise
    const rotating = rotateSecrets(both.ctx)
    await expect.poll(() => keysIn(both)).toContainEqual({ id: keyIdOf(NEW), count: 1 })
    isWaited.resolve()
    expect(await rotating).toBe(2)
    await holding
    expect(await keysIn(both)).toEqual([{ id: keyIdOf(NEW), count: 2 }])
  })

  test('seals what a process without the newest key stores while it runs', async () => {
    const [OLD, NEW] = [newKey(), newKey()]
    const { ctx } = await open({ SECRETS_KEY: OLD })
    const { merchantId } = await createMerchant(ctx, { name: 'Shop', callbackUrl: undefined })
    const both = await open({ SECRETS_KEY: `${NEW},${OLD}` })
    await rotateSecrets(both.ctx)
    const late = await addWebhookSecret(ctx, ctx.db, merchantId)
    expect(await rotateSecrets(both.ctx)).toBe(1)
    expect(await openWebhookSecrets(both.ctx, merchantId)).toContain(late)
    const { webhookSecret } = await rotateWebhookSecret(both.ctx, merchantId, '0')
    expect(await openWebhookSecrets((await open({ SECRETS_KEY: NEW })).ctx, merchantId)).toEqual([
      webhookSecret,
    ])
  })
})

describe('secrets rotate in sandbox mode on a database with a live world', () => {
  const rotate = (settings: Record<string, string>) =>
    operate(given(settings), ['secrets', 'rotate', '--json'])
  beforeEach(async () => {
    await database.drop()
    database = await createTestDatabase(inject('postgresUrl'), 'live')
  })

  test('seals the live secrets too, so the old key is not needed afterwards', async () => {
    const [OLD, NEW] = [newKey(), newKey()]
    const before = await open({ ...LIVE, SECRETS_KEY: OLD })
    const { merchantId } = await createMerchant(before.worlds.sandbox, {
      name: 'Shop',
      callbackUrl: undefined,
    })
    const secret = await addWebhookSecret(before.ctx, before.ctx.db, merchantId)
    await close(before)
    const { code, stdout } = await rotate({ SECRETS_KEY: `${NEW},${OLD}` })
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ rotated: { sandbox: 1, live: 1 } }),
    ])
    const after = await open({ ...LIVE, SECRETS_KEY: NEW })
    expect(await openWebhookSecrets(after.ctx, merchantId)).toEqual([secret])
  })

  test('changes nothing if a key of the live world is missing, and names it', async () => {
    const [OLD, NEW, LIVE_ONLY] = [newKey(), newKey(), newKey()]
    const before = await open({ SECRETS_KEY: OLD })
    const { merchantId } = await createMerchant(before.ctx, { name: 'Shop', callbackUrl: undefined })
    const live = await open({ ...LIVE, SECRETS_KEY: `${LIVE_ONLY},${OLD}` })
    await addWebhookSecret(live.ctx, live.ctx.db, merchantId)
    const { code, stdout } = await rotate({ SECRETS_KEY: `${NEW},${OLD}` })
    expect([code, stdout]).toEqual([1, expect.stringContaining(keyIdOf(LIVE_ONLY))])
    expect(await keysIn(before)).toEqual([{ id: keyIdOf(OLD), count: 1 }])
  })
})

describe('secrets discard', () => {
  const discard = async (settings: Record<string, string>, key: string) =>
    operate(given(settings), ['secrets', 'discard', '--key', keyIdOf(key)])

  test('deletes what the lost key sealed and nothing else, and prints what to make anew', async () => {
    const [LOST, NEW] = [newKey(), newKey()]
    const { ctx } = await open({ SECRETS_KEY: LOST })
    const { merchantId } = await createMerchant(ctx, { name: 'Lost', callbackUrl: undefined })
    const both = await open({ SECRETS_KEY: `${NEW},${LOST}` })
    const kept = await createMerchant(both.ctx, { name: 'Kept', callbackUrl: undefined })

    const { code, stdout } = await discard({ SECRETS_KEY: NEW }, LOST)
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining(`callback rotate-secret --merchant ${merchantId} --sandbox`),
    ])
    expect(stdout).not.toContain(kept.merchantId)
    const after = await open({ SECRETS_KEY: NEW })
    expect(await keysIn(after)).toEqual([{ id: keyIdOf(NEW), count: 1 }])
    expect((await discard({ SECRETS_KEY: NEW }, LOST)).stdout).toContain('Nothing was deleted')
  })

  test('refuses a key that the settings have, and deletes nothing', async () => {
    const KEY = newKey()
    const service = await open({ SECRETS_KEY: KEY })
    await createMerchant(service.ctx, { name: 'Shop', callbackUrl: undefined })
    const refused = await discard({ SECRETS_KEY: KEY }, KEY)
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is not lost')])
    expect(await keysIn(service)).toEqual([{ id: keyIdOf(KEY), count: 1 }])
  })
})

describe('the start', () => {
  test('with a wrong key says which secret does not open, and what to do', async () => {
    const OLD = newKey()
    const { ctx } = await open({ SECRETS_KEY: OLD })
    const { merchantId } = await createMerchant(ctx, { name: 'Shop', callbackUrl: undefined })
    const { rows } = await ctx.db.query<{ id: string }>('select id from sandbox.webhook_secrets')
    const wrong = newKey()
    const start = serve({ SECRETS_KEY: wrong })
    await expect(start).rejects.toThrow(
      `SECRETS_KEY does not open secrets in this database: the sandbox world's webhook secret ${rows[0]?.id} of the merchant ` +
        `${merchantId}, sealed under the key ${keyIdOf(OLD)}. Add the missing key behind the newer one: SECRETS_KEY=NEWER,EARLIER.`,
    )
    for (const key of [OLD, wrong]) await expect(start).rejects.not.toThrow(key)
    const command = await operate(given({ SECRETS_KEY: wrong }), ['merchant', 'list'])
    expect([command.code, command.stderr]).toEqual([
      1,
      expect.stringContaining(`of the merchant ${merchantId}`),
    ])
    await serve({ SECRETS_KEY: `${wrong},${OLD}` })
  })

  test('counts the secrets of each missing key', { tags: ['long'] }, async () => {
    const [OLD, OLDER] = [newKey(), newKey()]
    for (const SECRETS_KEY of [OLDER, `${OLD},${OLDER}`]) {
      const { ctx } = await open({ SECRETS_KEY })
      for (let index = 0; index < 2; index++)
        await createMerchant(ctx, { name: 'Shop', callbackUrl: undefined })
    }
    await expect(open({ SECRETS_KEY: newKey() })).rejects.toThrow(
      /: 2 webhook secrets of the sandbox world such as .*, and 2 webhook secrets of the sandbox world such as /,
    )
  })

  test('with a stored secret that was moved to another merchant says so', { tags: ['long'] }, async () => {
    const SECRETS_KEY = newKey()
    const { ctx } = await open({ SECRETS_KEY })
    const one = await createMerchant(ctx, { name: 'One', callbackUrl: undefined })
    const two = await createMerchant(ctx, { name: 'Two', callbackUrl: undefined })
    await ctx.db.query(
      `update sandbox.webhook_secrets moved set sealed = other.sealed
       from sandbox.webhook_secrets other where other.merchant_id <> moved.merchant_id`,
    )
    const [first] = [one.merchantId, two.merchantId].sort()
    await expect(open({ SECRETS_KEY })).rejects.toThrow(
      `of the merchant ${first}, sealed under the key ${keyIdOf(SECRETS_KEY)}. They were changed or moved`,
    )
  })
})
