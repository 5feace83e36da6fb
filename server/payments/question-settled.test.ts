import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PaymentStatus } from '../contract/payment.ts'
import type { Snapshot } from '../providers/driver.ts'
import { listPaymentEvents } from '../storage/events/events.ts'
import { listPaymentChanges } from '../storage/payments/payment-changes.ts'
import { listPaymentWarnings } from '../storage/payments/payment-warnings.ts'
import { findPayment, type PaymentRecord } from '../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type Script, scriptRoute } from '../testing/scripted-driver.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { askAboutPayment } from './question.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

let kassa: Kassa
let shop: Shop
let script: Script
let orders = 0
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
})
beforeEach(() => {
  script = scriptRoute(kassa.ctx)
})
afterAll(() => kassa.close())

type Amounts = [authorizedMinor: number, capturedMinor: number, refundedMinor: number]

const find = async (id: string) => (await findPayment(kassa.ctx.db, shop.merchantId, id)) as PaymentRecord
async function open(): Promise<PaymentRecord> {
  const merchantOrderId = `settled-${orders++}`
  const { body } = await createSession(kassa.url, shop, { body: sessionRequest({ merchantOrderId }) })
  return find(body.id)
}

/** What the provider says from now on. */
function say(
  status: PaymentStatus,
  [authorizedMinor, capturedMinor, refundedMinor]: Amounts,
  changes: Partial<Snapshot> = {},
) {
  script.lookUp = (truth) =>
    truth.kind === 'found'
      ? {
          kind: 'found',
          snapshot: { ...truth.snapshot, status, authorizedMinor, capturedMinor, refundedMinor, ...changes },
        }
      : truth
}

async function told(
  { id }: PaymentRecord,
  status: PaymentStatus,
  amounts: Amounts,
  changes: Partial<Snapshot> = {},
): Promise<PaymentRecord> {
  say(status, amounts, changes)
  await askAboutPayment(kassa.ctx, await find(id))
  return find(id)
}
const moneyOf = ({ authorizedMinor, capturedMinor, refundedMinor }: PaymentRecord) => [
  authorizedMinor,
  capturedMinor,
  refundedMinor,
]
const warningsOf = async ({ id }: PaymentRecord) =>
  (await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)).map(({ detail }) => detail)

const PAID: Amounts = [1900, 1900, 0]
const HELD: Amounts = [1900, 0, 0]

describe("the provider's word moves what is settled", () => {
  test.each<[string, [PaymentStatus, Amounts][], PaymentStatus]>([
    [
      'a dispute that is won',
      [
        ['paid', PAID],
        ['disputed', PAID],
        ['paid', PAID],
      ],
      'paid',
    ],
    [
      'a dispute that is lost',
      [
        ['paid', PAID],
        ['disputed', PAID],
        ['reversed', PAID],
      ],
      'reversed',
    ],
    [
      'a refund made at the provider',
      [
        ['paid', PAID],
        ['paid', [1900, 1900, 500]],
      ],
      'partially_refunded',
    ],
    [
      'two, to the end',
      [
        ['paid', PAID],
        ['paid', [1900, 1900, 500]],
        ['paid', [1900, 1900, 1900]],
      ],
      'refunded',
    ],
    [
      'a hold that lapsed',
      [
        ['authorized', HELD],
        ['reversed', [0, 0, 0]],
      ],
      'reversed',
    ],
    [
      'a capture made elsewhere',
      [
        ['authorized', HELD],
        ['paid', [1900, 700, 0]],
      ],
      'paid',
    ],
    [
      'money that arrives late',
      [
        ['failed', [0, 0, 0]],
        ['paid', PAID],
      ],
      'paid',
    ],
    [
      'a refund, and then a dispute of the rest',
      [
        ['paid', PAID],
        ['paid', [1900, 1900, 5]],
        ['disputed', [1900, 1900, 5]],
        ['paid', [1900, 1900, 5]],
      ],
      'partially_refunded',
    ],
  ])('%s', async (_, words, end) => {
    let payment = await open()
    for (const [status, amounts] of words) payment = await told(payment, status, amounts)
    expect(payment.status).toBe(end)
    const changes = await listPaymentChanges(kassa.ctx.db, shop.merchantId, payment.id)
    expect(changes.slice(1).map(({ cause }) => cause)).toEqual(words.map(() => 'provider'))
    const events = await listPaymentEvents(kassa.ctx.db, shop.merchantId, payment.id)
    expect(events.map(({ status }) => status)).toEqual(changes.slice(1).map(({ toStatus }) => toStatus))
    expect(await warningsOf(payment)).toEqual([])
  })

  test('amounts outrank names: a refunded of which a part is left is partly refunded, a paid that is only held is authorized', async () => {
    const partly = await told(await told(await open(), 'paid', PAID), 'refunded', [1900, 1900, 300])
    expect([partly.status, moneyOf(partly)]).toEqual(['partially_refunded', [1900, 1900, 300]])
    const onlyHeld = await told(await open(), 'paid', HELD)
    expect([onlyHeld.status, moneyOf(onlyHeld)]).toEqual(['authorized', HELD])
    const failedWithMoney = await told(await open(), 'failed', PAID)
    expect(failedWithMoney.status).toBe('paid')
  })
})

describe('what does not fit moves no money', () => {
  const wrong: [string, Amounts, Partial<Snapshot>][] = [
    ['another amount', PAID, { amountMinor: 190_000 }],
    ['another currency', PAID, { currency: 'AMD' }],
    ['another reference', PAID, { reference: 'somebody-else' }],
    ['more refunded than captured', [1900, 500, 600], {}],
    ['more captured than agreed', [1900, 2000, 0], {}],
    ['paid without any money', [0, 0, 0], {}],
  ]
  test.each(wrong)('%s: an open payment becomes unknown', async (_, amounts, changes) => {
    const payment = await told(await open(), 'paid', amounts, changes)
    expect([payment.status, moneyOf(payment)]).toEqual(['status_unknown', [0, 0, 0]])
    const held = await told(await told(await open(), 'authorized', HELD), 'paid', amounts, changes)
    expect([held.status, moneyOf(held)]).toEqual(['status_unknown', HELD])
  })

  test.each(wrong)('%s: a paid one stays, and is warned of once', async (_, amounts, changes) => {
    const paid = await told(await open(), 'paid', PAID)
    await told(paid, 'refunded', amounts, changes)
    const after = await told(paid, 'refunded', amounts, changes)
    expect([after.status, moneyOf(after), after.version]).toEqual(['paid', PAID, paid.version])
    expect(await warningsOf(paid)).toHaveLength(1)
  })

  test('a paid payment of which the provider says that it failed, is pending or unknown stays paid', async () => {
    const paid = await told(await open(), 'paid', PAID)
    for (const said of [
      'failed',
      'pending_payment',
      'pending_redirect',
      'status_unknown',
      'expired',
    ] as const)
      expect((await told(paid, said, [0, 0, 0])).status).toBe('paid')
    expect(await warningsOf(paid)).toHaveLength(5)
  })

  test('a question that changes nothing leaves no row', async () => {
    const paid = await told(await open(), 'paid', PAID)
    await told(paid, 'paid', PAID)
    script.lookUp = () => ({ kind: 'unavailable', message: 'away' })
    await askAboutPayment(kassa.ctx, paid)
    script.lookUp = () => ({ kind: 'not_found' })
    await askAboutPayment(kassa.ctx, paid)
    expect((await find(paid.id)).version).toBe(2)
    expect(await listPaymentChanges(kassa.ctx.db, shop.merchantId, paid.id)).toHaveLength(2)
    expect(await warningsOf(paid)).toEqual([])
  })
})

describe('the schedule', () => {
  const dueInMs = async ({ id }: PaymentRecord) => {
    const { questionDueAt } = await find(id)
    return questionDueAt && questionDueAt.getTime() - kassa.clock.now().getTime()
  }
  /** Lets days pass, asking whatever is due at the end of each. */
  async function pass(days: number): Promise<number> {
    const before = script.asked.length
    for (let day = 0; day < days; day++) {
      kassa.clock.advance(DAY_MS)
      await SWEEPS.statusSync(kassa.ctx)
    }
    return script.asked.length - before
  }
  const onlyThisOne = ({ id }: PaymentRecord) =>
    kassa.ctx.db.query('update sandbox.payments set question_due_at = null where id <> $1', [id])

  test.each<[PaymentStatus, Amounts, number]>([
    ['authorized', HELD, 35],
    ['disputed', PAID, 180],
    ['status_unknown', [0, 0, 0], 7],
  ])('%s is asked about daily, %s, for %i days, and then no more', async (status, amounts, days) => {
    let payment = await open()
    if (status === 'disputed') payment = await told(payment, 'paid', PAID)
    payment = await told(payment, status, amounts)
    await onlyThisOne(payment)
    kassa.clock.advance(3 * HOUR_MS)
    await SWEEPS.statusSync(kassa.ctx)
    const asked = await pass(days + 20)
    expect(asked).toBeGreaterThanOrEqual(days - 1)
    expect(asked).toBeLessThanOrEqual(days)
    expect(await dueInMs(payment)).toBeNull()
    if (status === 'status_unknown')
      expect((await warningsOf(payment)).at(-1)).toContain('an operator has to decide')
  })

  test('paid is asked about no more; a new status has its own next question, and expiry is asked about just in time', async () => {
    const payment = await open()
    expect(await dueInMs(payment)).toBeLessThanOrEqual(10_000)
    expect(await dueInMs(await told(payment, 'paid', PAID))).toBeNull()
    const disputed = await told(payment, 'disputed', PAID)
    expect(await dueInMs(disputed)).toBeGreaterThan(DAY_MS - 60_000)
    const ending = await open()
    await onlyThisOne(ending)
    say('pending_redirect', [0, 0, 0])
    const end = ending.expiresAt.getTime()
    kassa.clock.advance(end - kassa.clock.now().getTime() - 5_000)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await find(ending.id)).questionDueAt?.getTime()).toBe(end)
    kassa.clock.advance(5_500)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await find(ending.id)).status).toBe('expired')
  })
})
