/** The audit log goes while the service runs: money goes on by every door that no person uses, and people change nothing. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { openService } from '../service.ts'
import { openDb } from '../storage/db.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../testing/calls.ts'
import { createTestDatabase } from '../testing/database.ts'
import { openShop, SECRETS_KEY, type Shop } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { startReceiver } from '../testing/receiver.ts'
import { serveHere } from '../testing/serve-here.ts'
import { openOwnedServer, type TestServer } from '../testing/superuser.ts'
import { makeCheckpoint } from './daily-checkpoint.ts'

let folder: string
let server: TestServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kassa-without-'))
  server = await openOwnedServer()
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true, force: true })
})

/** Changes of the service itself, and of a token: no act of a person is named. Each has a trigger that notes it. */
const OWN_CHANGES = (shop: Shop) => [
  `update sandbox.api_keys set expires_at = now() + interval '1 day' where merchant_id = '${shop.merchantId}'`,
  `update sandbox.webhook_secrets set expires_at = now() + interval '1 day' where merchant_id = '${shop.merchantId}'`,
  `update sandbox.products set removed_at = now() where merchant_id = '${shop.merchantId}' and id = 'cup'`,
  `update sandbox.installations set return_url = 'https://shop.example/back' where merchant_id = '${shop.merchantId}'`,
  `insert into sandbox.payment_changes select merchant_id, payment_id, version + 100, from_status, to_status, 'operator', actor, detail, created_at
    from sandbox.payment_changes where merchant_id = '${shop.merchantId}' limit 1`,
]

const LOSSES = {
  'is gone with its schema': 'drop schema kassa_audit cascade',
  'may not be appended to':
    'revoke execute on function kassa_audit.append(jsonb, text, text, text, text, text) from kassa_service',
}

describe.each(Object.entries(LOSSES))('a log that %s while the service runs', (what, loss) => {
  test('stops each act of a person, and no payment, callback, event, refund by token or change of the service', async () => {
    const database = await createTestDatabase(server.url)
    const checkpoints = join(folder, what)
    await mkdir(checkpoints)
    const settings = {
      MODE: 'sandbox',
      SECRETS_KEY,
      LOG_LEVEL: 'silent',
      SEED_DEMO: 'false',
      RATE_LIMITS: 'off',
      DATABASE_URL: database.url,
      DATA_DIR: folder,
      AUDIT_CHECKPOINT_DIR: checkpoints,
    }
    const receiver = await startReceiver()
    const service = await openService(readConfig(settings), { onProgress: () => {} })
    const shop = await openShop(service.ctx, { callbackUrl: receiver.url })
    await makeCheckpoint(service.ctx, new Date())
    await service.close()
    const db = openDb(database.url, { world: 'sandbox', max: 1 })
    const kassa = await serveHere(settings)
    try {
      await server.asSuperuser(database.url, loss)
      const { status, body } = await createSession(kassa.url, shop, {
        key: 'without',
        body: sessionRequest({ merchantOrderId: 'without', provider: 'route_a' }),
      })
      expect(status).toBe(201)
      await payAtBank(body.providerCheckoutUrl, 'paid')
      expect((await lookUp(kassa.url, shop, body.id)).body).toMatchObject({ status: 'paid' })
      const [paid] = await receiver.until(1)
      expect(paid?.event.payment).toMatchObject({ id: body.id, status: 'paid' })
      const refunded = await askOperation(kassa.url, shop, body.id, 'refunds', {
        key: 'refund',
        body: { amountMinor: 400, reason: 'broken' },
      })
      expect(refunded.status).toBe(201)
      const [, returned] = await receiver.until(2)
      expect(returned?.event.payment).toMatchObject({ id: body.id, status: 'partially_refunded' })
      for (const change of OWN_CHANGES(shop))
        expect((await db.query(change)).rowCount, change).toBeGreaterThan(0)
      expect(await operate(settings, ['merchant', 'create', '--name', 'Late'])).toMatchObject({ code: 1 })
      // A person whose act was under way when the log went away: the change goes with its row.
      await db.query('begin')
      await db.query(`set local kassa.act = '{"id": "x", "who": "ani", "from": "host", "what": "test"}'`)
      await db.query(`update sandbox.products set name = 'Late' where merchant_id = '${shop.merchantId}'`)
      await expect(db.query('commit')).rejects.toThrow(/kassa_audit|permission denied/)
    } finally {
      await db.end()
      await kassa.stop()
      await receiver.close()
      await database.drop()
    }
  })
})
