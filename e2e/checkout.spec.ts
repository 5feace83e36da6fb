import type { PaymentStatus } from '../server/contract/payment.ts'
import { arriveAtThanks, buy, chooseAtBank, openCheckout, watchComplaints } from './support/buyer.ts'
import { MERCHANT_NAME, PRODUCTS, type ProductId } from './support/operator.ts'
import { type Shop, webhooks } from './support/shop.ts'
import { expect, test } from './support/stage.ts'

const FRESH_WITHIN_MS = 60_000
const SETTLES_WITHIN_MS = 60_000

/** Checks the fields that a merchant has to compare before shipping. */
async function expectStatus(shop: Shop, id: string, status: PaymentStatus, productId: ProductId = 'tea') {
  const { amountMinor, currency } = PRODUCTS[productId]
  expect(await shop.lookUp(id)).toMatchObject({ id, status, amountMinor, currency })
}

test('a buyer pays and comes back, and the shop’s look-up and its event both say paid', async ({
  page,
  shop,
}) => {
  const complaints = await watchComplaints(page)
  const paymentId = await openCheckout(page, shop)
  await expect(page.getByText(MERCHANT_NAME, { exact: true })).toBeVisible()
  await expect(page.getByTestId('amount')).toHaveText('$15.00')
  await expect(page.getByTestId('sandbox-ribbon')).toBeVisible()
  await chooseAtBank(page, 'paid')
  const returned = await arriveAtThanks(page, shop)
  expect(returned.get('paymentId')).toBe(paymentId)
  await expectStatus(shop, paymentId, 'paid')
  const { event } = await shop.eventOf(paymentId, 'paid')
  // The receipt is printed after the event was written. Printing changes these two fields and sends no event.
  expect(event?.payment.fiscalStatus).toBe('pending')
  const fiscalStatus = async () => (await shop.lookUp(paymentId)).fiscalStatus
  await expect.poll(fiscalStatus, { timeout: SETTLES_WITHIN_MS }).toBe('issued')
  const found = await shop.lookUp(paymentId)
  const { updatedAt } = found
  expect(found).toEqual({ ok: true, ...event?.payment, fiscalStatus: 'issued', updatedAt })
  expect(Date.parse(updatedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(event?.payment.updatedAt ?? ''))
  expect(event?.data.payment).toMatchObject({
    id: paymentId,
    status: 'paid',
    amountMinor: 1500,
    currency: 'USD',
    merchantOrderId: returned.get('merchantOrderId'),
  })
  expect(complaints).toEqual([])
})

test('an event is signed with the current time, and changing any byte makes its signature invalid', async ({
  shop,
}) => {
  const { id: paymentId } = await shop.sell()
  const { body, signature, receivedAt } = await shop.eventOf(paymentId, 'paid')
  const { webhookSecret } = shop.account
  const [, t = '', v1 = ''] = /^t=(\d{10}),v1=([0-9a-f]{64})$/.exec(signature) ?? []
  expect(Math.abs(receivedAt.getTime() - Number(t) * 1000)).toBeLessThan(FRESH_WITHIN_MS)
  const believe = (bytes: Buffer, header: string, secret = webhookSecret) =>
    webhooks.constructEvent(bytes, header, secret)
  expect(() => believe(body, signature)).not.toThrow()
  const changed = Buffer.from(body)
  changed.writeUInt8(changed.readUInt8(changed.length - 2) ^ 1, changed.length - 2)
  expect(() => believe(changed, signature)).toThrow(/signature/i)
  const flipped = (v1.startsWith('0') ? '1' : '0') + v1.slice(1)
  expect(() => believe(body, `t=${t},v1=${flipped}`)).toThrow(/signature/i)
  expect(() => believe(body, `t=${Number(t) - 1},v1=${v1}`)).toThrow(/signature/i)
  expect(() => believe(body, signature, `${webhookSecret}x`)).toThrow(/signature/i)
})

test('a declined buyer comes back to our page, and pays the same payment with another try', async ({
  page,
  shop,
}) => {
  const declined = await buy(page, shop, { outcome: 'declined' })
  await expectStatus(shop, declined, 'pending_payment')
  await expect(page.getByTestId('pay')).toHaveText('Try again')
  await chooseAtBank(page, 'paid')
  await expect.poll(async () => (await shop.lookUp(declined)).status).toBe('paid')
  await shop.eventOf(declined, 'paid')
})

test('a buyer who cancels at the bank leaves a cancelled payment', async ({ page, shop }) => {
  const paymentId = await buy(page, shop, { outcome: 'cancelled' })
  await expectStatus(shop, paymentId, 'cancelled')
  await shop.eventOf(paymentId, 'cancelled')
})

test('a bank that answers later leaves the payment open first and paid a little later', async ({
  page,
  shop,
}) => {
  const paymentId = await buy(page, shop, { outcome: 'pending' })
  await expectStatus(shop, paymentId, 'pending_payment')
  const status = async () => (await shop.lookUp(paymentId)).status
  await expect.poll(status, { timeout: SETTLES_WITHIN_MS, intervals: [500] }).toBe('paid')
  await shop.eventOf(paymentId, 'paid')
})

test('after a lost answer the status is unknown, and the hosted page says not to pay again', async ({
  page,
  shop,
  kassa,
}) => {
  const paymentId = await buy(page, shop, { outcome: 'unknown' })
  await expectStatus(shop, paymentId, 'status_unknown')
  await shop.eventOf(paymentId, 'status_unknown')
  await page.goto(`${kassa.url}/checkout/${paymentId}`)
  await expect(page.getByText('do not pay again')).toBeVisible()
  await expect(page.getByTestId('pay')).toHaveCount(0)
})

test('after a lost answer the button does not ask for the money a second time', async ({ page, shop }) => {
  const paymentId = await buy(page, shop, { outcome: 'unknown' })
  expect(await openCheckout(page, shop)).toBe(paymentId)
  await expect(page.getByTestId('pay')).toHaveCount(0)
})

test('a paid payment cannot be paid again, neither on the checkout page nor at the bank', async ({
  page,
  shop,
  kassa,
}) => {
  const { id: paymentId, providerCheckoutUrl } = await shop.sell()
  await page.goto(`${kassa.url}/checkout/${paymentId}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Paid')
  await expect(page.getByTestId('pay')).toHaveCount(0)
  await page.goto(providerCheckoutUrl ?? '')
  await expect(page.getByTestId('bank')).toHaveAttribute('data-state', 'done')
  await expect(page.locator('button')).toHaveCount(0)
})

test('a buyer who comes back after paying buys a second time with a second payment', async ({
  page,
  shop,
}) => {
  const first = await buy(page, shop, { outcome: 'paid' })
  expect(await openCheckout(page, shop)).not.toBe(first)
  await expect(page.getByTestId('pay')).toBeVisible()
})

test('a route with two steps authorizes the payment and leaves the capture to the shop', async ({
  page,
  shop,
}) => {
  const paymentId = await buy(page, shop, { outcome: 'paid', path: '/element.html?product=locker' })
  await expectStatus(shop, paymentId, 'authorized', 'locker')
  await shop.eventOf(paymentId, 'authorized')
})
