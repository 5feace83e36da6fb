/** One subscription for a year from 31 January, with some declined charges. Each period is charged once, on the right day. */
import { beforeAll, expect, test } from 'vitest'
import { referenceOf } from '../../id.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { DUE_SUBSCRIPTIONS } from '../../storage/payments/due-accounts.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import {
  createSubscription,
  openToken,
  subscriptionRequest,
  sweep,
} from '../../testing/payments/subscriptions.ts'
import { openScene } from '../../testing/scene.ts'

const START = new Date('2027-01-31T10:00:00.000Z')
const END = new Date('2028-02-01T00:00:00.000Z')
const MOMENTS_MAX = 200

const { kassa, shop } = await openScene()
beforeAll(async () => {
  kassa.clock.advance(START.getTime() - kassa.clock.now().getTime())
})

/** How the buyer's card answers from this day on. */
const CARD: [string, string][] = [
  ['2027-02-28', 'saved_then_declines'],
  ['2027-03-04', 'saved'],
  ['2027-08-31', 'saved_then_declines'],
  ['2027-09-01', 'saved'],
]

async function letTimePass(): Promise<void> {
  for (let moment = 0; moment < MOMENTS_MAX; moment++) {
    const due = await DUE_SUBSCRIPTIONS.next(kassa.ctx.db)
    if (!due || due > END) return
    kassa.clock.advance(Math.max(0, due.getTime() - kassa.clock.now().getTime()))
    const today = kassa.clock.now().toISOString()
    const outcome = CARD.findLast(([from]) => from <= today)?.[1] ?? 'saved'
    await kassa.ctx.db.query(
      `update sandbox.sandbox_cards set body = body || jsonb_build_object('outcome', $1::text)`,
      [outcome],
    )
    await sweep(kassa)
  }
  throw new Error(`The year did not end within ${MOMENTS_MAX} steps.`)
}

test('in a year from 31 January each period is charged on the right day, retried on schedule, and paid once', async () => {
  const tokenId = await openToken(kassa.url, shop)
  const { body } = await createSubscription(kassa.url, shop, { body: subscriptionRequest(tokenId) })
  await letTimePass()
  const at = { merchantId: shop.merchantId, subscriptionId: body.subscription.id }
  const lines: string[] = []
  for (const { period, attempt, paymentId } of await listSubscriptionCharges(kassa.ctx.db, at)) {
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, paymentId)
    const events = await listPaymentEvents(kassa.ctx.db, shop.merchantId, paymentId)
    expect(events.map(({ status }) => status)).toEqual(['pending_payment', payment?.status])
    const day = payment?.createdAt.toISOString().slice(0, 10)
    lines.push(`${day} ${payment?.merchantOrderId} ${attempt} ${payment?.status}`)
    expect(payment?.metadata).toMatchObject({ source: 'subscription', period, attempt })
  }
  expect(lines).toEqual([
    '2027-01-31 box-1/1 1 paid',
    '2027-02-28 box-1/2 1 failed',
    '2027-03-02 box-1/2 2 failed',
    '2027-03-07 box-1/2 3 paid',
    '2027-03-31 box-1/3 1 paid',
    '2027-04-30 box-1/4 1 paid',
    '2027-05-31 box-1/5 1 paid',
    '2027-06-30 box-1/6 1 paid',
    '2027-07-31 box-1/7 1 paid',
    '2027-08-31 box-1/8 1 failed',
    '2027-09-02 box-1/8 2 paid',
    '2027-09-30 box-1/9 1 paid',
    '2027-10-31 box-1/10 1 paid',
    '2027-11-30 box-1/11 1 paid',
    '2027-12-31 box-1/12 1 paid',
    '2028-01-31 box-1/13 1 paid',
  ])
  const card = await kassa.ctx.sandbox.cards.find({ customer: 'kassa', reference: referenceOf(tokenId) })
  expect(card?.statement.filter(({ taken }) => taken)).toHaveLength(13)
})
