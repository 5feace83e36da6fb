/**
 * A backup was made after a request to open an order at PayPal, and before its answer was stored. PayPal finds an order only by its own
 * id, which such a backup does not have. The same request again gets the same order for six hours.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, inject, onTestFinished, test } from 'vitest'
import { type Db, inTransaction, openDb } from '../../storage/db.ts'
import { findLatestRestore, markRestored } from '../../storage/restores/restores.ts'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { createEmptyDatabase } from '../../testing/database.ts'
import { SECRETS_KEY } from '../../testing/harness.ts'
import { operate, operateJson } from '../../testing/operator.ts'
import { paypalSettings, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { serveHere } from '../../testing/serve-here.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

/** The requests that open an order. */
const opened: string[] = []
const scene = closeAfter(
  await setPaypalScene({
    webhook: false,
    onRequest: ({ method, url, body }) => {
      if (method === 'POST' && url === '/v2/checkout/orders') opened.push(body)
    },
  }),
)
const settings = { ...paypalSettings('ROUTE_A', scene.proxy.url, { webhook: false }), SECRETS_KEY }

const create = (key: string) =>
  createSession(scene.kassa.url, scene.shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, provider: 'route_a' }),
  })

/** The order is opened at PayPal, and the answer does not arrive. Returns the payment's id and PayPal's page. */
async function openUnanswered(key: string): Promise<{ id: string; page: string }> {
  scene.proxy.spoilNext('lost', (method, path) => method === 'POST' && path === '/v2/checkout/orders')
  expect((await create(key)).status).toBe(503)
  const { rows } = await scene.kassa.ctx.db.query<{ id: string }>(
    'select id from sandbox.payments where merchant_order_id = $1',
    [key],
  )
  const id = rows[0]?.id ?? ''
  const [order] = await scene.orders(id)
  return { id, page: `${scene.server.origin}/checkoutnow?token=${order?.id}` }
}

type Opened = Record<'paid' | 'waiting' | 'expired', { id: string; page: string }>

async function openAll(keys: string): Promise<Opened> {
  const paid = await openUnanswered(`${keys}-paid`)
  const waiting = await openUnanswered(`${keys}-waiting`)
  return { paid, waiting, expired: await openUnanswered(`${keys}-expired`) }
}

const expire = (db: Db, { id }: { id: string }) =>
  db.query("update sandbox.payments set expires_at = now() - interval '1 hour' where id = $1", [id])

/** What the restored service at `url` must know. `unasked`: what its report leaves to a person. */
async function expectFound(url: string, { paid, waiting, expired }: Opened, unasked: unknown[]) {
  const problem = expect.stringContaining('only by its own id')
  expect(unasked).toEqual([expect.objectContaining({ id: expired.id, problem })])
  expect((await lookUp(url, scene.shop, paid.id)).body).toMatchObject({
    status: 'paid',
    capturedMinor: 1_900,
  })
  const { body } = await lookUp(url, scene.shop, waiting.id)
  expect(body.status).toBe('pending_redirect')
  expect(new URL(body.providerCheckoutUrl).search).toBe(new URL(waiting.page).search)
  const captures = async ({ id }: { id: string }) =>
    (await scene.orders(id)).map((order) => order.captures.length)
  expect([await captures(paid), await captures(waiting)]).toEqual([[1], [0]])
}

test('orders that were being opened at the backup are found with their money, and nothing is sent for one that has expired', async () => {
  const all = await openAll('here')
  await actAsBuyer(all.paid.page, 'pay')
  const { ctx, clock, url, databaseUrl } = scene.kassa
  await expire(ctx.db, all.expired)
  const restoredAt = clock.now()
  await inTransaction(ctx.db, (tx) =>
    markRestored(tx, 'sandbox', { backupAt: restoredAt, restoredAt, settledPerHour: 3_600 }),
  )
  opened.length = 0
  // A process that starts after the restore.
  const db = openDb(databaseUrl, { world: 'sandbox', max: 2 })
  onTestFinished(() => db.end())
  const restored = { ...ctx, db }
  const ended = async () => (await findLatestRestore(db))?.endedAt
  for (let turns = 0; turns < 10 && !(await ended()); turns++) {
    clock.advance(60_000)
    await SWEEPS.restoreChecks(restored)
  }
  const { rows } = await db.query('select id, problem from sandbox.restore_checks where problem is not null')
  await expectFound(url, all, rows)
  expect(opened).toHaveLength(2)
})

test('the same holds for a real backup, after which the shop repeated its request', {
  tags: ['long'],
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-unanswered-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const all = await openAll('backup')
  const source = { ...settings, DATABASE_URL: scene.kassa.databaseUrl }
  expect(await operate(source, ['backup', 'create', '--to', join(folder, 'one')])).toMatchObject({ code: 0 })
  for (const key of ['paid', 'waiting', 'expired']) expect((await create(`backup-${key}`)).status).toBe(201)
  await actAsBuyer(all.paid.page, 'pay')
  const empty = await createEmptyDatabase(inject('postgresUrl'))
  onTestFinished(() => empty.drop())
  const restored = { ...settings, DATABASE_URL: empty.url }
  const from = ['backup', 'restore', '--from', join(folder, 'one')]
  expect(await operate(restored, from)).toMatchObject({ code: 0 })
  expect(await operate(restored, ['restore', 'confirm', '--all'])).toMatchObject({ code: 0 })
  const db = openDb(empty.url, { world: 'sandbox', max: 1 })
  await expire(db, all.expired).finally(() => db.end())
  opened.length = 0
  const service = await serveHere(restored)
  const show = async () => (await operateJson(restored, ['restore', 'show'])).answer
  try {
    await expect.poll(async () => (await show()).restore.endedAt, { interval: 1_000 }).not.toBeNull()
    await expectFound(service.url, all, (await show()).unasked)
    expect(opened).toHaveLength(2)
  } finally {
    await service.stop()
  }
})
