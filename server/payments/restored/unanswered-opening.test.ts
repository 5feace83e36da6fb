/**
 * A backup was made after a request to open an order at PayPal, and before its answer was stored. PayPal finds an order only by its own
 * id, which such a backup does not have. The same request again gets the same order for six hours.
 */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { openDb } from '../../storage/db.ts'
import { createSession, lookUp, sessionRequest } from '../../testing/calls.ts'
import { createEmptyDatabase } from '../../testing/database.ts'
import { SECRETS_KEY } from '../../testing/harness.ts'
import { operate, operateJson } from '../../testing/operator.ts'
import { paypalSettings, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { serveHere } from '../../testing/serve-here.ts'

const LONG_MS = 30_000

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
const folder = await mkdtemp(join(tmpdir(), 'kassa-unanswered-'))
afterAll(() => rm(folder, { recursive: true }))

const create = (key: string) =>
  createSession(scene.kassa.url, scene.shop, {
    key,
    body: sessionRequest({ merchantOrderId: key, provider: 'route_a' }),
  })

/** Backs up while the order is being opened. The merchant repeats the request after that. Returns the payment's id and PayPal's page. */
async function openAfterBackup(key: string, directory: string): Promise<{ id: string; page: string }> {
  scene.proxy.spoilNext('lost', (method, path) => method === 'POST' && path === '/v2/checkout/orders')
  expect((await create(key)).status).toBe(503)
  const source = { ...settings, DATABASE_URL: scene.kassa.databaseUrl }
  expect(await operate(source, ['backup', 'create', '--to', directory])).toMatchObject({ code: 0 })
  const { status, body } = await create(key)
  expect(status).toBe(201)
  return { id: body.id, page: body.providerCheckoutUrl }
}

/** Restores the backup, and serves it until the providers were asked. `meanwhile`: SQL for what changed with the time. */
async function serveRestored(
  directory: string,
  work: (url: string, unasked: unknown[]) => Promise<void>,
  meanwhile = '',
) {
  const empty = await createEmptyDatabase(inject('postgresUrl'))
  const restored = { ...settings, DATABASE_URL: empty.url }
  try {
    expect(await operate(restored, ['backup', 'restore', '--from', directory])).toMatchObject({ code: 0 })
    expect(await operate(restored, ['restore', 'confirm', '--all'])).toMatchObject({ code: 0 })
    const db = openDb(empty.url, { world: 'sandbox', max: 1 })
    await db.query(meanwhile).finally(() => db.end())
    const service = await serveHere(restored)
    try {
      const show = async () => (await operateJson(restored, ['restore', 'show'])).answer
      await expect.poll(async () => (await show()).restore.endedAt, { timeout: LONG_MS }).not.toBeNull()
      await work(service.url, (await show()).unasked)
    } finally {
      await service.stop()
    }
  } finally {
    await empty.drop()
  }
}

test.each([
  ['and was paid since then, is found with its money', true, 'paid'],
  ['and waits for its buyer, gets its address back', false, 'pending_redirect'],
])('an order that was being opened at the backup, %s', async (_, isPaid, status) => {
  const directory = join(folder, status)
  const { id, page } = await openAfterBackup(status, directory)
  if (isPaid) await actAsBuyer(page, 'pay')
  await serveRestored(directory, async (url, unasked) => {
    expect(unasked).toEqual([])
    const { body } = await lookUp(url, scene.shop, id)
    expect([body.status, body.providerCheckoutUrl]).toEqual([status, isPaid ? undefined : page])
  })
  expect((await scene.orders(id)).map(({ captures }) => captures.length)).toEqual([isPaid ? 1 : 0])
})

test('after the payment has expired nothing is sent, and the report leaves the order to a person', async () => {
  const directory = join(folder, 'expired')
  const { id } = await openAfterBackup('expired', directory)
  opened.length = 0
  await serveRestored(
    directory,
    async (_, unasked) =>
      expect(unasked).toContainEqual(
        expect.objectContaining({ id, problem: expect.stringContaining('only by its own id') }),
      ),
    "update sandbox.payments set expires_at = now() - interval '1 hour'",
  )
  expect(opened).toEqual([])
})
