/** Replaces the key of stored secrets while a service delivers events. The short and the long test both use this suite. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject } from 'vitest'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { openWebhookSecrets } from '../receivers/secret.ts'
import { openService } from '../service.ts'
import { createTestDatabase } from '../testing/database.ts'
import { operate } from '../testing/operator.ts'
import { livePayments } from '../testing/payments/status-changes.ts'
import { carefulStatus, type Received, startReceiver } from '../testing/receiver.ts'
import { serveHere } from '../testing/serve-here.ts'
import { keyIdOf } from './vault.ts'

/**
 * `merchants`: more than 100, which is one batch of a rotation. `late`: the merchants that are created while the keys are
 * replaced. `payments`: those that are made in that time, with two or more events each.
 */
export async function rotateUnderLoad({
  merchants,
  payments,
  late,
}: {
  merchants: number
  payments: number
  late: number
}): Promise<void> {
  const database = await createTestDatabase(inject('postgresUrl'))
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-keys-'))
  const running: (() => Promise<unknown>)[] = []
  const [OLD, NEW] = [1, 2].map(() => randomBytes(32).toString('base64')) as [string, string]
  const given = (SECRETS_KEY: string) => ({
    MODE: 'sandbox',
    LOG_LEVEL: 'silent',
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRETS_KEY,
    // On a busy machine the answer to a delivery may come too late.
    EVENT_RETRY_DELAYS: `0${',1'.repeat(20)}`,
    CALLBACK_ALLOW: 'loopback',
  })
  const open = async (keys: string) => {
    const service = await openService(readConfig(given(keys)))
    running.push(() => service.close())
    return service.ctx
  }
  const secrets = new Map<string, string>()
  const merchantIds: string[] = []
  const owners = new Map<string, string>()
  const answers: number[] = []
  const receiver = await startReceiver((_, delivery) => {
    const secret = secrets.get(merchantOf(delivery)) ?? ''
    const status = carefulStatus(delivery, [secret], new Date())
    answers.push(status)
    return status
  })
  running.push(() => receiver.close())
  const merchantOf = ({ event }: Received) => owners.get(event.payment.merchantOrderId) ?? ''
  const enrol = async (ctx: Context, count: number) => {
    for (let index = 0; index < count; index++) {
      const { merchantId, webhookSecret } = await createMerchant(ctx, {
        name: `Shop ${secrets.size}`,
        callbackUrl: receiver.url,
      })
      secrets.set(merchantId, webhookSecret)
      merchantIds.push(merchantId)
    }
  }
  try {
    await enrol(await open(OLD), merchants)
    await running.pop()?.()
    const served = await serveHere({ ...given(`${NEW},${OLD}`), LOG_LEVEL: 'warn' })
    running.push(() => served.stop())
    const both = await open(`${NEW},${OLD}`)
    const writing = livePayments(both, merchantIds, {
      payments,
      atOnce: 10,
      onOrder: (order, merchantId) => owners.set(order, merchantId),
    })
    const joining = enrol(both, late)
    const { code, stdout } = await operate(given(`${NEW},${OLD}`), ['secrets', 'rotate', '--json'])
    expect([code, JSON.parse(stdout)]).toEqual([
      0,
      expect.objectContaining({ keyId: keyIdOf(NEW), rotated: { sandbox: merchants } }),
    ])
    await Promise.all([writing, joining])
    const count = async (text: string) => (await both.db.query<{ count: number }>(text)).rows
    const [events] = await count('select count(*)::int as count from sandbox.events')
    await receiver.until(events?.count ?? 0, 60_000)
    expect(new Set(answers)).toEqual(new Set([200]))
    expect(served.output()).not.toMatch(/sealed|decipher|authenticate/)
    expect(
      await count('select key_id as id, count(*)::int as count from sandbox.webhook_secrets group by 1'),
    ).toEqual([{ id: keyIdOf(NEW), count: merchants + late }])
    const alone = await open(NEW)
    for (const [merchantId, secret] of secrets)
      expect(await openWebhookSecrets(alone, merchantId)).toEqual([secret])
  } finally {
    await Promise.all(running.map((close) => close()))
    await database.drop()
    await rm(dataDir, { recursive: true })
  }
}
