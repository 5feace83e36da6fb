/** A rotation beside running processes: one that would be locked out stops it, or is stopped by it. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { readConfig } from '../config.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { rotateSecrets } from '../operator/rotate-secrets.ts'
import { openWebhookSecrets } from '../receivers/secret.ts'
import { openService, type Service } from '../service.ts'
import { createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import { argv } from '../testing/command-line.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { type KassaProcess, type Shop, spawnKassa } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { carefulStatus, startReceiver } from '../testing/receiver.ts'
import { announceRotation } from './presence.ts'
import { createVault, keyIdOf } from './vault.ts'

const newKey = () => randomBytes(32).toString('base64')

let database: TestDatabase
let dataDir: string
let OLD: string
let NEW: string
let running: (() => Promise<unknown>)[]
beforeEach(async () => {
  running = []
  ;[OLD, NEW] = [newKey(), newKey()]
  database = await createTestDatabase(inject('postgresUrl'))
  dataDir = await mkdtemp(join(tmpdir(), 'kassa-presence-'))
})
afterEach(async () => {
  vi.useRealTimers()
  await Promise.all(running.map((end) => end()))
  await database.drop()
  await rm(dataDir, { recursive: true })
})

const given = (SECRETS_KEY: string) => ({
  MODE: 'sandbox',
  LOG_LEVEL: 'warn',
  DATABASE_URL: database.url,
  DATA_DIR: dataDir,
  CALLBACK_ALLOW: 'loopback',
  SECRETS_KEY,
})
const both = () => `${NEW},${OLD}`

async function open(keys: string, lines: string[] = []): Promise<Service> {
  const service = await openService(readConfig(given(keys)), {
    logTo: (line) => lines.push(line),
    onProgress: (line) => lines.push(line),
  })
  running.push(() => service.close())
  return service
}

async function spawn(keys: string): Promise<KassaProcess> {
  const spawned = await spawnKassa(given(keys))
  running.push(() => spawned.kill('SIGKILL'))
  return spawned
}

const rotate = () => operate(given(both()), ['secrets', 'rotate'])

async function ask<Row>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url, application_name: 'test' })
  await client.connect()
  const { rows } = await client.query(text).finally(() => client.end())
  return rows
}
const sealedUnder = async () =>
  (await ask<{ id: string }>('select distinct key_id as id from sandbox.webhook_secrets')).map(({ id }) => id)

describe('secrets rotate beside two processes', () => {
  test('is refused by the name of the one that knows only the old key, and works once both know the new one', {
    tags: ['long'],
  }, async () => {
    const secrets: string[] = []
    const answers: number[] = []
    const receiver = await startReceiver((_, delivery) => {
      const status = carefulStatus(delivery, secrets, new Date())
      answers.push(status)
      return status
    })
    running.push(() => receiver.close())
    const [one, other] = await Promise.all([spawn(OLD), spawn(OLD)])
    const { merchantId, webhookSecret } = await operate(
      given(OLD),
      argv`merchant create --name Shop --callback-url ${receiver.url} --json`,
    ).then(({ stdout }) => JSON.parse(stdout))
    secrets.push(webhookSecret)

    await one.kill('SIGTERM')
    const renewed = await spawn(both())
    expect(renewed.output()).toContain(`process ${other.child.pid} on`)
    const { code, stdout, stderr } = await rotate()
    expect([code, stdout + stderr]).toEqual([
      1,
      expect.stringContaining(
        `does not know this key and would be locked out of every secret. Restart it with this key as the first in SECRETS_KEY`,
      ),
    ])
    expect(stdout + stderr).toContain(`process ${other.child.pid} on`)
    expect(stdout + stderr).not.toContain(`process ${renewed.child.pid} on`)
    expect(await sealedUnder()).toEqual([keyIdOf(OLD)])

    await other.kill('SIGTERM')
    const second = await spawn(both())
    expect(await rotate()).toMatchObject({ code: 0 })
    expect(await sealedUnder()).toEqual([keyIdOf(NEW)])
    const { token } = await operate(given(both()), argv`token issue --merchant ${merchantId} --json`).then(
      (issued) => JSON.parse(issued.stdout),
    )
    for (const [index, { url }] of [renewed, second].entries()) {
      const body = sessionRequest({ merchantOrderId: `order-${index}` })
      const { body: session } = await createSession(url, { token } as Shop, { key: `key-${index}`, body })
      await payAtBank(`${url}/checkout/${session.id}/continue`, 'paid')
    }
    await receiver.until(2)
    expect(new Set(answers)).toEqual(new Set([200]))
    await expect(spawn(OLD)).rejects.toThrow(`sealed under the key ${keyIdOf(NEW)}`)
  })
})

describe('secrets rotate', () => {
  test('is refused beside a process that knows the key but seals under another', async () => {
    await open(`${OLD},${NEW}`)
    expect(await rotate()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`seals new secrets under ${keyIdOf(OLD)}`),
    })
  })

  test('is refused beside a process of an earlier version, which announces nothing', {
    tags: ['long'],
  }, async () => {
    await open(both())
    const client = new pg.Client({ connectionString: database.url, application_name: 'kassa pay-2 4711' })
    client.on('error', () => {})
    await client.connect()
    expect(await rotate()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'process 4711 on pay-2 is connected and has not said which keys it knows',
      ),
    })
    await client.end()
    expect(await rotate()).toMatchObject({ code: 0 })
  })

  test('counts a killed process for half a minute', { tags: ['long'] }, async () => {
    const killed = await spawn(OLD)
    await killed.kill('SIGKILL')
    expect(await rotate()).toMatchObject({ code: 1 })
    await ask("update kassa.processes set seen_at = seen_at - interval '30 seconds'")
    expect(await rotate()).toMatchObject({ code: 0 })
  })
})

describe('a service that knows only the old key', () => {
  test('does not start while a rotation is under way, and starts again if the rotation was refused', {
    tags: ['long'],
  }, async () => {
    const service = await open(both())
    const rotation = await announceRotation(service.ctx.jobsDb, createVault([NEW, OLD]))
    await expect(open(OLD)).rejects.toThrow(`is sealing every stored secret under the key ${keyIdOf(NEW)}`)
    await rotation.stop()
    const lines: string[] = []
    await open(OLD, lines)
    expect(lines.join()).toContain(
      `seals new secrets under the key ${keyIdOf(NEW)}, which is not in SECRETS_KEY`,
    )
  })

  test('says so in its log if it was locked out all the same', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const lines: string[] = []
    const old = await open(OLD, lines)
    const shop = await createMerchant(old.ctx, { name: 'Shop', callbackUrl: undefined })
    // The process was cut off from the database for so long that it counted as dead.
    await ask("update kassa.processes set seen_at = seen_at - interval '30 seconds'")
    const service = await open(both())
    const rotation = await announceRotation(service.ctx.jobsDb, service.ctx.vault)
    await rotateSecrets(service.ctx)
    await rotation.end()
    expect(lines).toEqual([])
    await vi.advanceTimersByTimeAsync(5_000)
    await expect.poll(() => lines.join()).toContain(keyIdOf(NEW))
    expect(await openWebhookSecrets(service.ctx, shop.merchantId)).toEqual([shop.webhookSecret])
  })
})
