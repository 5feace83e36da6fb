/**
 * A whole Kassa at PayPal: refunds and disputes of one payment in any order, heard of one by one or several in one answer. The sums
 * are PayPal's, and the status follows from them.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { askAboutPayment } from '../../payments/attempts/question.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { mixesOf, someMixes } from '../../testing/mixes.ts'
import type { SimCapture, SimDispute, SimOrder } from '../../testing/providers/paypal/books.ts'
import { openDispute } from '../../testing/providers/paypal/disputes.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { moneyOf } from './money.ts'

const scene = closeAfter(await setPaypalScene())
beforeAll(async () => {
  scene.server.paypal.world.isFull = true
})

type Paid = { id: string; order: SimOrder; capture: SimCapture }

async function pay(): Promise<Paid> {
  const id = await scene.pay()
  const [order] = await scene.orders(id)
  const [capture] = order?.captures ?? []
  if (!order || !capture) throw new Error('PayPal has taken no money')
  return { id, order, capture }
}
const stored = async (id: string) => {
  const { status, capturedMinor, refundedMinor, attempt } = await scene.payment(id)
  return { status, capturedMinor, refundedMinor, lostMinor: attempt.disputeLostMinor }
}
async function ask(id: string): Promise<void> {
  await askAboutPayment(scene.kassa.ctx, await scene.payment(id))
}
const warnings = async (id: string) =>
  (await listPaymentWarnings(scene.kassa.ctx.db, scene.shop.merchantId, id)).map(({ detail }) => detail)

let refunds = 0
/** Somebody refunds in the PayPal account. */
function refund({ order, capture }: Paid, minor: number) {
  const made: SimOrder['refunds'][number] = {
    id: `RSTAFF${++refunds}`,
    captureId: capture.id,
    status: 'COMPLETED',
    amount: moneyOf(minor, 'USD'),
    customId: undefined,
    createdAt: scene.kassa.clock.now(),
  }
  order.refunds.push(made)
  return made
}
function dispute({ order }: Paid, minor: number): SimDispute {
  const { paypal, account } = scene.server
  openDispute(paypal.world, account, order)
  const made = account.disputes.at(-1)
  if (!made) throw new Error('PayPal has no dispute')
  made.amount = moneyOf(minor, 'USD')
  return made
}
function decide(made: SimDispute, outcome: NonNullable<SimDispute['outcome']>): void {
  Object.assign(made, { status: 'RESOLVED', outcome, updatedAt: scene.kassa.clock.now() })
}

/** PayPal shows a capture that a buyer complains about as PENDING, and names the reason only sometimes. */
describe.each([
  ['without a reason', ''],
  ['with a reason of tomorrow', 'BUYER_SAYS_NO'],
  ['because of something else', 'OTHER'],
])('a taken payment that is PENDING again %s', (_, reason) => {
  test('is disputed, and then lost, as its disputes say', async () => {
    const paid = await pay()
    const made = dispute(paid, 1_900)
    Object.assign(paid.capture, { status: 'PENDING', reason })
    await ask(paid.id)
    expect(await stored(paid.id)).toMatchObject({ status: 'disputed', capturedMinor: 1_900 })
    decide(made, 'RESOLVED_BUYER_FAVOUR')
    await ask(paid.id)
    expect(await stored(paid.id)).toMatchObject({ status: 'reversed', lostMinor: 1_900 })
  })
})

test('a capture that PayPal has never completed stays under way, though a buyer asks about it', async () => {
  const id = await scene.pay('echeck_clears')
  const [order] = await scene.orders(id)
  if (order) openDispute(scene.server.paypal.world, scene.server.account, order)
  Object.assign(scene.server.account.disputes.at(-1) ?? {}, { stage: 'INQUIRY' })
  await ask(id)
  expect(await stored(id)).toMatchObject({ status: 'pending_payment', capturedMinor: 0 })
})

/** What happens to one payment. Its parts stay in this order, and those of two may mix in any way. */
const HAPPENINGS: ((paid: Paid) => (() => void)[])[] = [
  (paid) => {
    let made: SimOrder['refunds'][number] | undefined
    return [
      () => {
        made = refund(paid, 500)
      },
      () => {
        if (made) made.status = 'FAILED'
      },
    ]
  },
  (paid) => [() => void refund(paid, 300)],
  ...(
    [
      [900, 'RESOLVED_BUYER_FAVOUR'],
      [200, 'RESOLVED_SELLER_FAVOUR'],
    ] as const
  ).map(([minor, outcome]) => (paid: Paid) => {
    let made: SimDispute | undefined
    return [
      () => {
        made = dispute(paid, minor)
      },
      () => {
        if (made) decide(made, outcome)
      },
    ]
  }),
]

/** How PayPal shows the capture while a dispute is open: by its status, or by its disputes alone. */
const SHOWN = [undefined, '', 'BUYER_COMPLAINT', 'CHARGEBACK'] as const

/** As PayPal would show the capture after what has happened. */
function showCapture({ order, capture }: Paid, whileOpen: (typeof SHOWN)[number]): void {
  const isOpen = scene.server.account.disputes.some(
    ({ captureId, status }) => captureId === capture.id && status !== 'RESOLVED',
  )
  const isReturned = order.refunds.some(({ status }) => status === 'COMPLETED')
  capture.status = isReturned ? 'PARTIALLY_REFUNDED' : 'COMPLETED'
  if (isOpen && whileOpen !== undefined) Object.assign(capture, { status: 'PENDING', reason: whileOpen })
}

const ALL = mixesOf([2, 1, 2, 2])

/** Each order is heard of in another way: after every part, or only after some of them. */
async function expectSameSums(mixes: readonly number[][]): Promise<void> {
  for (const [number, mix] of mixes.entries()) {
    const paid = await pay()
    const { id } = paid
    const acts = HAPPENINGS.map((happening) => happening(paid))
    for (const [step, which] of mix.entries()) {
      acts[which]?.shift()?.()
      showCapture(paid, SHOWN[number % SHOWN.length])
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
