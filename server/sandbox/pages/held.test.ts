/** The simulated bank needs two hours to take the money or to refuse it. Buyer, shop and operator see that it is working. */
import { describe, expect, test } from 'vitest'
import { translate } from '../../messages/translate.ts'
import { measureOpenWork } from '../../storage/open-work.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import {
  clickWidget,
  createLink,
  createSession,
  linkRequest,
  lookUp,
  payAtBank,
  readPage,
  sessionRequest,
} from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const HOUR_MS = 3_600_000

const { kassa, shop } = await openScene()

let orders = 0
async function open(provider: 'route_a' | 'route_b' = 'route_a') {
  const key = `held-${++orders}`
  const body = sessionRequest({ merchantOrderId: key, provider })
  const { id, providerCheckoutUrl: url } = (await createSession(kassa.url, shop, { key, body })).body
  return { id, url, page: `${kassa.url}/checkout/${id}` }
}
const status = async (id: string) => (await findPaymentById(kassa.ctx.db, id))?.status
async function pass(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await SWEEPS.statusSync(kassa.ctx)
}
const operate = async (...args: string[]) => (await operateHere(async () => kassa.ctx, args)).stdout

describe.each([
  ['held_then_paid', 'route_a', 'paid'],
  ['held_then_paid', 'route_b', 'authorized'],
  ['held_then_declined', 'route_a', 'failed'],
] as const)('%s on %s', (outcome, route, end) => {
  test(`the payment is under way past its expiry, and then ${end}`, async () => {
    const { id, url, page } = await open(route)
    await payAtBank(url, outcome)
    await pass(100 * 60_000)
    const { body } = await lookUp(kassa.url, shop, id)
    expect(body).toMatchObject({ status: 'pending_payment', processingSince: expect.any(String) })
    expect((await readPage(page)).html).toContain(translate('en', 'pages.processingTitle'))
    await pass(HOUR_MS)
    expect(await status(id)).toBe(end)
  })
})

test('on a link that still runs, a refusal after two hours lets the buyer try again', async () => {
  const expiresAt = new Date(kassa.clock.now().getTime() + 24 * HOUR_MS).toISOString()
  const body = linkRequest({ providerRoute: 'route_a', expiresAt })
  const { payment, paymentUrl } = (await createLink(kassa.url, shop, { key: 'held-link', body })).body
  await payAtBank(`${kassa.url}/checkout/${payment.id}/continue`, 'held_then_declined')
  expect((await readPage(paymentUrl)).html).toContain(translate('en', 'pages.processingTitle'))
  await pass(3 * HOUR_MS)
  expect(await status(payment.id)).toBe('pending_payment')
  expect((await readPage(paymentUrl)).html).toContain(translate('en', 'pages.tryAgain'))
})

test('a second click on the button finds the same payment, also past its expiry', async () => {
  const click = () => clickWidget(kassa.url, shop, { body: { clientReference: 'held-click' } })
  const { paymentId, checkoutUrl } = (await click()).body
  await payAtBank(`${checkoutUrl}/continue`, 'held_then_paid')
  for (const ms of [60_000, 100 * 60_000]) {
    await pass(ms)
    expect((await click()).body).toMatchObject({ paymentId, created: false, status: 'pending_payment' })
    expect((await readPage(checkoutUrl)).html).toContain(translate('en', 'pages.processingTitle'))
  }
  await pass(HOUR_MS)
  expect(await status(paymentId)).toBe('paid')
})

test('an operator sees since when, the next question, and until when', async () => {
  const before = await measureOpenWork(kassa.ctx.db, kassa.clock.now())
  const { id, url } = await open()
  await payAtBank(url, 'held_then_paid')
  await pass(HOUR_MS)
  const listed = await operate('payment', 'list', '--limit', '1')
  expect(listed).toMatch(/the provider is working on it since .*, next question .*, decides at the latest /)
  const shown = await operate('payment', 'show', '--payment', id)
  expect(shown).toContain('The buyer has finished, and the provider has been working on it since')
  expect(shown).toMatch(/If the provider has not decided by .*, the payment becomes status_unknown/)
  const json = JSON.parse(await operate('payment', 'show', '--payment', id, '--json')).payment
  expect(Date.parse(json.processingUntil) - Date.parse(json.processingSince)).toBe(30 * 24 * HOUR_MS)
  const work = await measureOpenWork(kassa.ctx.db, kassa.clock.now())
  expect(work.paymentsUnderWay).toBe(before.paymentsUnderWay + 1)
  expect(work.oldestUnderWaySeconds).toBeGreaterThanOrEqual(3600)
  await pass(2 * HOUR_MS)
  expect(await operate('payment', 'list', '--limit', '1')).not.toContain('Under way')
  const after = await measureOpenWork(kassa.ctx.db, kassa.clock.now())
  expect([after.paymentsUnderWay, after.oldestUnderWaySeconds]).toEqual([0, 0])
})
