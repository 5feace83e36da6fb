/**
 * A whole Kassa at Stripe: buyers who have finished there and pay elsewhere, disputes that meet refunds in one answer, and words of
 * tomorrow. Whatever the order in which Kassa hears of it, the sums are those of the provider, and the status follows from them.
 */
import type Stripe from 'stripe'
import { describe, expect, test } from 'vitest'
import { askAboutPayment } from '../../payments/attempts/question.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { createSession, lookUp, readPage, sessionRequest } from '../../testing/calls.ts'
import { mixesOf, someMixes } from '../../testing/mixes.ts'
import type { CardName } from '../../testing/providers/stripe/cards.ts'
import { newDispute, newRefund } from '../../testing/providers/stripe/more-objects.ts'
import { moveForDispute } from '../../testing/providers/stripe/payments.ts'
import { openStripeShop } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const { kassa, scene, shop } = closeAfter(await openStripeShop())
const { account, server } = scene
const DAY_MS = 24 * 3_600_000

let orders = 0
async function pay(card: CardName = 'visa') {
  const key = `several-${++orders}`
  const { body } = await createSession(kassa.url, shop, {
    key,
    body: sessionRequest({ merchantOrderId: key }),
  })
  const opened = { url: body.providerCheckoutUrl as string, page: body.checkoutUrl as string }
  scene.buyer(opened, card)
  await lookUp(kassa.url, shop, body.id)
  const charge = () => {
    const intent = account.intents.get(String(scene.sessionAt(opened).payment_intent))
    return account.charges.get(String(intent?.latest_charge)) as Stripe.Charge
  }
  return { id: body.id as string, ...opened, charge }
}

const stored = async (id: string) => {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (!payment) throw new Error('there is no payment')
  const { status, capturedMinor, refundedMinor } = payment
  return { status, capturedMinor, refundedMinor, lostMinor: payment.attempt.disputeLostMinor }
}
const warnings = async (id: string) =>
  (await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)).map(({ detail }) => detail)
async function entries(id: string) {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  const all = payment ? await listEntries(kassa.ctx.db, payment) : []
  return all.map(({ kind, amountMinor, currency }) => `${kind} ${amountMinor} ${currency}`)
}
async function advance(ms: number): Promise<void> {
  kassa.clock.advance(ms)
  await scene.later(ms)
}
async function ask(id: string): Promise<void> {
  const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
  if (payment) await askAboutPayment(kassa.ctx, payment)
}

/** Somebody refunds in Stripe's Dashboard. */
function refund(charge: Stripe.Charge, amount: number, status = 'succeeded'): Stripe.Refund {
  const made = newRefund(server.books, charge, { amount, status, balance_transaction: 'txn_sim' })
  account.refunds.set(made.id, made)
  return made
}
/** The bank takes the money of a dispute. `changes`: how Stripe shows it. */
function dispute(
  charge: Stripe.Charge,
  amount: number,
  changes: Partial<Stripe.Dispute> = {},
): Stripe.Dispute {
  const made = { ...newDispute(server.books, charge, 'needs_response'), amount, ...changes }
  account.disputes.set(made.id, made)
  charge.disputed = true
  return made
}

describe('a buyer who has finished at Stripe and pays elsewhere', () => {
  test('is waited for past the expiry, reads nowhere that no money was taken, and the payment is paid', async () => {
    const { id, page } = await pay('voucher')
    expect(await stored(id)).toMatchObject({ status: 'pending_payment', capturedMinor: 0 })
    await advance(2 * DAY_MS)
    await SWEEPS.statusSync(kassa.ctx)
    expect(await stored(id)).toMatchObject({ status: 'pending_payment' })
    const { html } = await readPage(page, 'en')
    expect(html).not.toMatch(/no money was taken/i)
    expect(html).not.toContain('/c/pay/cs_test_')
    expect(html).not.toContain('data-testid="pay"')
    await advance(3 * DAY_MS)
    await SWEEPS.statusSync(kassa.ctx)
    expect(await stored(id)).toMatchObject({ status: 'paid', capturedMinor: 1_900 })
  })

  test('and never pays there ends as failed once Stripe says so', async () => {
    const { id } = await pay('voucher_expires')
    expect(await stored(id)).toMatchObject({ status: 'pending_payment' })
    await advance(5 * DAY_MS)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await stored(id)).status).toBe('failed')
  })
})

test('a refund and then a lost dispute about everything: refunded, and nothing is doubted', async () => {
  const { id, charge } = await pay()
  refund(charge(), 500)
  await ask(id)
  const made = dispute(charge(), 1_900)
  await ask(id)
  expect((await stored(id)).status).toBe('disputed')
  made.status = 'lost'
  moveForDispute(server.books, made, -1_400)
  await ask(id)
  expect(await stored(id)).toEqual({
    status: 'refunded',
    capturedMinor: 1_900,
    refundedMinor: 1_900,
    lostMinor: 1_400,
  })
  expect(await warnings(id)).toEqual([])
})

test('what a dispute took beyond what refunds had left is entered outside the sums, with a warning', async () => {
  const { id, charge } = await pay()
  refund(charge(), 500)
  moveForDispute(server.books, dispute(charge(), 1_900, { status: 'lost' }), -1_900)
  await ask(id)
  expect(await stored(id)).toMatchObject({ status: 'refunded', refundedMinor: 1_900 })
  expect(await entries(id)).toContain('over_returned 500 USD')
  expect(await warnings(id)).toEqual([expect.stringContaining('500 minor units of USD went back besides')])
})

test('a full refund that failed and a lost dispute in one answer: reversed, and each is entered', async () => {
  const { id, charge } = await pay()
  const made = refund(charge(), 1_900)
  await ask(id)
  expect((await stored(id)).status).toBe('refunded')
  made.status = 'failed'
  moveForDispute(server.books, dispute(charge(), 1_900, { status: 'lost' }), -1_900)
  await ask(id)
  expect(await stored(id)).toMatchObject({ status: 'reversed', lostMinor: 1_900 })
  const all = await entries(id)
  for (const entry of ['refunded 1900 USD', 'refund_failed 1900 USD', 'dispute_lost 1900 USD'])
    expect(all).toContain(entry)
  expect(await warnings(id)).toEqual([])
})

test('a dispute that was prevented has reversed the payment, and a refund is not accepted', async () => {
  const { id, charge } = await pay()
  moveForDispute(server.books, dispute(charge(), 1_900, { status: 'prevented' }), -1_900)
  await ask(id)
  expect(await stored(id)).toMatchObject({ status: 'reversed', lostMinor: 1_900 })
  expect(await warnings(id)).toEqual([])
})

test('a dispute in another currency changes no sum: its money is entered in its currency, and a person is told', async () => {
  const { id, charge } = await pay()
  const made = dispute(charge(), 1_700, { currency: 'eur' })
  await ask(id)
  expect(await stored(id)).toMatchObject({ status: 'paid', refundedMinor: 0 })
  made.status = 'lost'
  for (let times = 0; times < 2; times++) await ask(id)
  expect(await stored(id)).toMatchObject({ status: 'paid', refundedMinor: 0, lostMinor: 0 })
  expect((await entries(id)).filter((entry) => entry.endsWith('EUR'))).toEqual(['over_returned 1700 EUR'])
  expect((await warnings(id)).join('\n')).toMatch(
    /1700 minor units of EUR is open[\s\S]*1700 minor units of EUR was lost/,
  )
})

test('a word of tomorrow makes an open dispute and one warning, however often Stripe says it', async () => {
  const { id, charge } = await pay()
  dispute(charge(), 1_900, { status: 'mediated' })
  for (let times = 0; times < 3; times++) await ask(id)
  expect((await stored(id)).status).toBe('disputed')
  expect(await warnings(id)).toEqual([expect.stringContaining('"mediated" as dispute status')])
})

/** What happens to one payment. Its parts stay in this order, and those of two may mix in any way. */
const HAPPENINGS: ((charge: Stripe.Charge) => (() => void)[])[] = [
  (charge) => {
    let made: Stripe.Refund | undefined
    return [
      () => {
        made = refund(charge, 500)
      },
      () => {
        if (made) made.status = 'failed'
      },
    ]
  },
  (charge) => [() => void refund(charge, 300)],
  (charge) => {
    let made: Stripe.Dispute | undefined
    return [
      () => {
        made = dispute(charge, 900)
        moveForDispute(server.books, made, -900)
      },
      () => {
        if (made) made.status = 'lost'
      },
    ]
  },
  (charge) => {
    let made: Stripe.Dispute | undefined
    return [
      () => {
        made = dispute(charge, 200)
        moveForDispute(server.books, made, -200)
      },
      () => {
        if (!made) return
        made.status = 'won'
        moveForDispute(server.books, made, 200)
      },
    ]
  },
]

const ALL = mixesOf([2, 1, 2, 2])

/** Each order is heard of in another way: after every part, or only after some of them. */
async function expectSameSums(mixes: readonly number[][]): Promise<void> {
  for (const [number, mix] of mixes.entries()) {
    const { id, charge } = await pay()
    const acts = HAPPENINGS.map((happening) => happening(charge()))
    for (const [step, which] of mix.entries()) {
      acts[which]?.shift()?.()
      if (((number * 37) >> step) & 1) await ask(id)
    }
    for (let times = 0; times < 2; times++) await ask(id)
    expect([mix, await stored(id)]).toEqual([
      mix,
      { status: 'partially_refunded', capturedMinor: 1_900, refundedMinor: 1_200, lostMinor: 900 },
    ])
    expect([mix, await warnings(id)]).toEqual([mix, []])
  }
}

test('the same happenings in any order, in one answer or several, give the same sums and status', async () => {
  expect(ALL.length).toBe(630)
  await expectSameSums(someMixes(ALL, 210))
})

test('the same happenings in many orders give the same sums and status', { tags: ['long'] }, async () => {
  await expectSameSums(someMixes(ALL, 10))
})
