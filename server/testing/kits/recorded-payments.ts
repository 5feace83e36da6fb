/** Payments of one shop, and the events that the service wrote about them. The kits' tests send these events to each kit. */
import type { PaymentStatusChanged } from '../../contract/event.ts'
import { askOperation, clickWidget, createSession, payAtBank, sessionRequest } from '../calls.ts'
import { expectWithin } from '../expect-within.ts'
import { type Kassa, openShop } from '../harness.ts'
import { createSubscription, openToken, subscriptionRequest } from '../payments/subscriptions.ts'

const WRITTEN_WITHIN_MS = 30_000

/** `events`: their exact texts, in order. */
export type RecordedPayment = { orderId: string; events: string[] }
/** By the order's reference, or by the product that the button sold. The payments of one order are in order. */
export type RecordedPayments = Record<string, RecordedPayment[]>

/** Each text is the reference of an order with one payment of the same amount. */
const ORDERS = ['dear', 'nobody-knows', 'twice', 'twice', 'late', 'refunded']

/** Creates payments through the API, the button and a subscription, pays all, and refunds a part of one. */
export async function recordPayments(kassa: Kassa): Promise<RecordedPayments> {
  const shop = await openShop(kassa.ctx)
  for (const [at, merchantOrderId] of ORDERS.entries()) {
    const { body } = await createSession(kassa.url, shop, {
      key: `record-${at}`,
      body: sessionRequest({ merchantOrderId }),
    })
    await payAtBank(body.providerCheckoutUrl, 'paid')
    if (merchantOrderId === 'refunded')
      await askOperation(kassa.url, shop, body.id, 'refunds', {
        key: 'refund-1',
        body: { amountMinor: 500, reason: 'one cup was broken' },
      })
  }
  for (const productId of ['tea', 'cup']) {
    const { body } = await clickWidget(kassa.url, shop, {
      body: { productId, clientReference: `record-${productId}` },
    })
    await payAtBank(`${body.checkoutUrl}/continue`, 'paid')
  }
  const request = subscriptionRequest(await openToken(kassa.url, shop))
  await createSubscription(kassa.url, shop, { body: request })
  const read = () => readEvents(kassa, shop.merchantId)
  const count = async (status: string) =>
    (await read()).filter(({ event }) => event.payment.status === status).length
  await expectWithin(WRITTEN_WITHIN_MS, () => count('paid'), ORDERS.length + 3)
  await expectWithin(WRITTEN_WITHIN_MS, () => count('partially_refunded'), 1)
  return groupEvents(await read())
}

type Written = { body: string; event: PaymentStatusChanged }

async function readEvents({ ctx }: Kassa, merchantId: string): Promise<Written[]> {
  const { rows } = await ctx.db.query<{ body: string }>(
    'select body from sandbox.events where merchant_id = $1 order by created_at, sequence',
    [merchantId],
  )
  return rows.map(({ body }) => ({ body, event: JSON.parse(body) }))
}

function groupEvents(written: Written[]): RecordedPayments {
  const payments = new Map<string, RecordedPayment>()
  const recorded: RecordedPayments = {}
  for (const { body, event } of written) {
    const { id, merchantOrderId, metadata } = event.payment
    const known = payments.get(id)
    if (known) known.events.push(body)
    else {
      const payment = { orderId: merchantOrderId, events: [body] }
      payments.set(id, payment)
      const name = String(metadata?.productId ?? merchantOrderId)
      recorded[name] = [...(recorded[name] ?? []), payment]
    }
  }
  return recorded
}
