/** A refund that the provider did after the backup: a merchant who repeats the request after a restore gets no second one. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { askOperation, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { createEmptyDatabase } from '../testing/database.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { operate } from '../testing/operator.ts'
import { openStripeShop } from '../testing/providers/stripe-scene.ts'
import { type ServedHere, serveHere } from '../testing/serve-here.ts'

const { close, kassa, scene, settings, shop } = await openStripeShop({
  settings: { SECRETS_KEY },
  worker: true,
})
const empty = await createEmptyDatabase(inject('postgresUrl'))
const folder = await mkdtemp(join(tmpdir(), 'kassa-restored-'))
afterAll(async () => {
  await close()
  await empty.drop()
  await rm(folder, { recursive: true })
})

async function pay(order: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: order, amountMinor: 1000 })
  const { body: session } = await createSession(kassa.url, shop, { key: order, body })
  scene.buyer({ url: session.providerCheckoutUrl }, 'visa')
  expect((await lookUp(kassa.url, shop, session.id)).body.status).toBe('paid')
  return session.id
}

async function refund(url: string, id: string, amountMinor: number): Promise<void> {
  const request = { key: `refund-${id}`, body: { amountMinor, reason: 'returned' } }
  const { status, body } = await askOperation(url, shop, id, 'refunds', request)
  // After a restore the provider has said already that everything was refunded.
  if (body.error) expect([status, body.error.message]).toEqual([409, expect.stringContaining('is refunded')])
  else expect(status).toBe(201)
  const refunded = async () => (await lookUp(url, shop, id)).body.refundedMinor
  await expect.poll(refunded).toBe(amountMinor)
  if (body.error) return
  // A replay shows how the operation stands.
  const replayed = async () => (await askOperation(url, shop, id, 'refunds', request)).body.operation.status
  await expect.poll(replayed).toBe('succeeded')
}

const returned = () => [...scene.account.refunds.values()].reduce((sum, { amount }) => sum + amount, 0)

test('the same request after a restore of an older backup moves no money twice', async () => {
  const [part, whole] = [await pay('part'), await pay('whole')]
  const directory = join(folder, 'before-the-refunds')
  expect(
    await operate({ DATABASE_URL: kassa.databaseUrl, ...settings }, ['backup', 'create', '--to', directory]),
  ).toMatchObject({ code: 0 })
  await refund(kassa.url, part, 400)
  await refund(kassa.url, whole, 1000)
  expect(returned()).toBe(1400)

  const restored = { DATABASE_URL: empty.url, ...settings }
  expect(await operate(restored, ['backup', 'restore', '--from', directory])).toMatchObject({ code: 0 })
  // Without a list of what was revoked the token of the shop waits for the host.
  expect(await operate(restored, ['restore', 'confirm', '--all'])).toMatchObject({ code: 0 })
  const again: ServedHere = await serveHere(restored)
  try {
    await refund(again.url, part, 400)
    await refund(again.url, whole, 1000)
  } finally {
    await again.stop()
  }
  expect([returned(), scene.account.refunds.size]).toEqual([1400, 2])
})
