import { beforeEach, describe, expect, test } from 'vitest'
import { noteCallback } from '../../accounts/callbacks-seen.ts'
import type { PaymentStatus } from '../../contract/payment.ts'
import type { Snapshot } from '../../providers/driver.ts'
import { type Account, isReady } from '../../providers/registry.ts'
import { listPaymentEvents } from '../../storage/events/events.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { reportOf } from '../../testing/payments/placed-payment.ts'
import { type Script, scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askAboutPayment } from './question.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const { kassa, shop, openPayment, getPayment, listWarnings } = await openScene()
let script: Script
beforeEach(async () => {
  script = scriptRoute(kassa.ctx)
  await kassa.ctx.db.query('update sandbox.accounts set callback_seen_at = null')
  kassa.ctx.accounts.forget()
  await kassa.ctx.accounts.read()
})

type Amounts = [authorizedMinor: number, capturedMinor: number, refundedMinor: number]

/** Sets what the provider answers from now on. */
function setAnswer(
  status: PaymentStatus,
  [authorizedMinor, capturedMinor, refundedMinor]: Amounts,
  changes: Partial<Snapshot> = {},
) {
  script.lookUp = (truth) =>
    truth.kind === 'found'
      ? {
          kind: 'found',
          snapshot: {
            ...truth.snapshot,
            ...reportOf(status),
            authorizedMinor,
            capturedMinor,
            refundedMinor,
            ...changes,
          },
        }
      : truth
}

/** Makes the provider answer this, and asks it about the payment. */
async function askWithAnswer(
  { id }: AttemptedPayment,
  status: PaymentStatus,
  amounts: Amounts,
  changes: Partial<Snapshot> = {},
): Promise<AttemptedPayment> {
  setAnswer(status, amounts, changes)
  await askAboutPayment(kassa.ctx, await getPayment(id))
  return getPayment(id)
}
const moneyOf = ({ authorizedMinor, capturedMinor, refundedMinor }: AttemptedPayment) => [
  authorizedMinor,
  capturedMinor,
  refundedMinor,
]
const warningsOf = ({ id }: AttemptedPayment) => listWarnings(id)

const PAID: Amounts = [1900, 1900, 0]
const HELD: Amounts = [1900, 0, 0]

type Answer = [PaymentStatus, Amounts]
const answer = (status: PaymentStatus, amounts: Amounts): Answer => [status, amounts]

/** The provider's answers, one after the other, and the payment's status after the last one. */
const ANSWERS: [name: string, answers: Answer[], end: PaymentStatus][] = [
  ['a dispute that is won', [answer('paid', PAID), answer('disputed', PAID), answer('paid', PAID)], 'paid'],
  [
    'a dispute that is lost',
    [answer('paid', PAID), answer('disputed', PAID), answer('reversed', PAID)],
    'reversed',
  ],
  [
    'a refund made at the provider',
    [answer('paid', PAID), answer('paid', [1900, 1900, 500])],
    'partially_refunded',
  ],
  [
    'two refunds made at the provider, of the whole amount',
    [answer('paid', PAID), answer('paid', [1900, 1900, 500]), answer('paid', [1900, 1900, 1900])],
    'refunded',
  ],
  ['a hold that lapsed', [answer('authorized', HELD), answer('reversed', [0, 0, 0])], 'reversed'],
  ['a capture made at the provider', [answer('authorized', HELD), answer('paid', PAID)], 'paid'],
  ['money that arrives late', [answer('failed', [0, 0, 0]), answer('paid', PAID)], 'paid'],
  [
    'a refund, and then a dispute of the rest',
    [
      answer('paid', PAID),
      answer('paid', [1900, 1900, 5]),
      answer('disputed', [1900, 1900, 5]),
      answer('paid', [1900, 1900, 5]),
    ],
    'partially_refunded',
  ],
]

describe("the provider's answers change a payment that is settled", () => {
  test.each(ANSWERS)('%s', async (_, answers, end) => {
    let payment = await openPayment()
    for (const [status, amounts] of answers) payment = await askWithAnswer(payment, status, amounts)
    expect(payment.status).toBe(end)
    const changes = await listPaymentChanges(kassa.ctx.db, shop.merchantId, payment.id)
    expect(changes.slice(1).map(({ cause }) => cause)).toEqual(answers.map(() => 'provider'))
    const events = await listPaymentEvents(kassa.ctx.db, shop.merchantId, payment.id)
    expect(events.map(({ status }) => status)).toEqual(changes.slice(1).map(({ toStatus }) => toStatus))
    expect(await warningsOf(payment)).toEqual([])
  })

  test('the amounts count more than the status name: "refunded" with money left is partially_refunded, "paid" without capture is authorized', async () => {
    const partly = await askWithAnswer(
      await askWithAnswer(await openPayment(), 'paid', PAID),
      'refunded',
      [1900, 1900, 300],
    )
    expect([partly.status, moneyOf(partly)]).toEqual(['partially_refunded', [1900, 1900, 300]])
    const onlyAuthorized = await askWithAnswer(await openPayment(), 'paid', HELD)
    expect([onlyAuthorized.status, moneyOf(onlyAuthorized)]).toEqual(['authorized', HELD])
    const failedWithMoney = await askWithAnswer(await openPayment(), 'failed', PAID)
    expect(failedWithMoney.status).toBe('paid')
  })
})

describe('an answer that does not fit changes no amounts', () => {
  const wrong: [string, Amounts, Partial<Snapshot>][] = [
    ['another amount', PAID, { amountMinor: 190_000 }],
    ['another currency', PAID, { currency: 'AMD' }],
    ['another reference', PAID, { reference: 'somebody-else' }],
    ['more refunded than captured', [1900, 500, 600], {}],
    ['more captured than the payment’s amount', [1900, 2000, 0], {}],
    ['paid without any money', [0, 0, 0], {}],
  ]
  test.each(wrong)('%s: an open payment becomes unknown', async (_, amounts, changes) => {
    const payment = await askWithAnswer(await openPayment(), 'paid', amounts, changes)
    expect([payment.status, moneyOf(payment)]).toEqual(['status_unknown', [0, 0, 0]])
    const held = await askWithAnswer(
      await askWithAnswer(await openPayment(), 'authorized', HELD),
      'paid',
      amounts,
      changes,
    )
    expect([held.status, moneyOf(held)]).toEqual(['status_unknown', HELD])
  })

  test.each(wrong)(
    '%s: a paid payment stays paid, and one warning is stored',
    async (_, amounts, changes) => {
      const paid = await askWithAnswer(await openPayment(), 'paid', PAID)
      await askWithAnswer(paid, 'refunded', amounts, changes)
      const after = await askWithAnswer(paid, 'refunded', amounts, changes)
      expect([after.status, moneyOf(after), after.version]).toEqual(['paid', PAID, paid.version])
      expect(await warningsOf(paid)).toHaveLength(1)
    },
  )

  test('a paid payment stays paid if the provider calls it failed, pending, unknown or expired', async () => {
    const paid = await askWithAnswer(await openPayment(), 'paid', PAID)
    const others = ['failed', 'pending_payment', 'pending_redirect', 'status_unknown', 'expired'] as const
    for (const status of others) expect((await askWithAnswer(paid, status, [0, 0, 0])).status).toBe('paid')
    expect(await warningsOf(paid)).toHaveLength(5)
  })

  test('a question that changes nothing stores nothing', async () => {
    const paid = await askWithAnswer(await openPayment(), 'paid', PAID)
    await askWithAnswer(paid, 'paid', PAID)
    script.lookUp = () => ({ kind: 'unavailable', message: 'away' })
    await askAboutPayment(kassa.ctx, paid)
    expect((await getPayment(paid.id)).version).toBe(2)
    expect(await listPaymentChanges(kassa.ctx.db, shop.merchantId, paid.id)).toHaveLength(2)
    expect(await warningsOf(paid)).toEqual([])
  })

  test('an order that brought money and is not known any more warns once, and changes nothing else', async () => {
    const paid = await askWithAnswer(await openPayment(), 'paid', PAID)
    script.lookUp = () => ({ kind: 'not_found' })
    await askAboutPayment(kassa.ctx, paid)
    await askAboutPayment(kassa.ctx, paid)
    expect((await getPayment(paid.id)).version).toBe(2)
    expect(await listPaymentChanges(kassa.ctx.db, shop.merchantId, paid.id)).toHaveLength(2)
    expect(await warningsOf(paid)).toHaveLength(1)
  })
})

/** From now on callbacks of this account can be verified, and one has just arrived. */
async function addCallbacks(): Promise<void> {
  const { ctx } = kassa
  script = scriptRoute(ctx, { callbacksSetUp: () => true })
  const { route_a: account } = ctx.routes
  if (isReady(account)) await noteCallback(ctx, account)
  await ctx.accounts.read()
}

describe('the schedule', () => {
  const dueInMs = async ({ id }: AttemptedPayment) => {
    const {
      attempt: { questionDueAt },
    } = await getPayment(id)
    return questionDueAt && questionDueAt.getTime() - kassa.clock.now().getTime()
  }
  /** Lets days pass, and asks what is due at the end of each. Returns how many questions were asked. */
  async function pass(days: number): Promise<number> {
    const before = script.calls.length
    for (let day = 0; day < days; day++) {
      kassa.clock.advance(DAY_MS)
      await SWEEPS.statusSync(kassa.ctx)
      await SWEEPS.settledSync(kassa.ctx)
    }
    return script.calls.length - before
  }
  const onlyThisOne = ({ id }: AttemptedPayment) =>
    kassa.ctx.db.query('update sandbox.attempts set question_due_at = null where payment_id <> $1', [id])

  const UNSETTLED: [PaymentStatus, Amounts, number][] = [
    ['authorized', HELD, 35],
    ['disputed', PAID, 180],
    ['status_unknown', [0, 0, 0], 7],
  ]
  for (const [status, amounts, days] of UNSETTLED)
    test(`a payment that is ${status} with amounts ${amounts} is asked about daily for ${days} days`, {
      tags: days > 90 ? ['long'] : [],
    }, async () => {
      let payment = await openPayment()
      if (status === 'disputed') payment = await askWithAnswer(payment, 'paid', PAID)
      payment = await askWithAnswer(payment, status, amounts)
      await onlyThisOne(payment)
      kassa.clock.advance(3 * HOUR_MS)
      await SWEEPS.statusSync(kassa.ctx)
      const questions = await pass(days + 20)
      expect(questions).toBeGreaterThanOrEqual(days - 1)
      expect(questions).toBeLessThanOrEqual(days)
      expect(await dueInMs(payment)).toBeNull()
      if (status === 'status_unknown')
        expect((await warningsOf(payment)).at(-1)).toContain('an operator has to decide')
    })

  const SETTLED: [PaymentStatus, Amounts][] = [
    ['paid', PAID],
    ['partially_refunded', [1900, 1900, 500]],
    ['refunded', [1900, 1900, 1900]],
  ]
  for (const [status, amounts] of SETTLED)
    test(`a payment that is ${status} is asked about daily for 90 days, and after 120 and 180, if the account gets no callbacks`, {
      tags: status === 'paid' ? [] : ['long'],
    }, async () => {
      const payment = await askWithAnswer(
        await askWithAnswer(await openPayment(), 'paid', PAID),
        status,
        amounts,
      )
      await onlyThisOne(payment)
      const questions = [await pass(90), await pass(29), await pass(1), await pass(59), await pass(30)]
      expect([questions, await dueInMs(payment)]).toEqual([[90, 0, 1, 0, 1], null])
    })

  for (const [status, amounts] of SETTLED)
    test(`a payment that is ${status} is asked about after 1, 7, 30, 90, 120 and 180 days if callbacks keep coming`, {
      tags: status === 'paid' ? [] : ['long'],
    }, async () => {
      await addCallbacks()
      const payment = await askWithAnswer(
        await askWithAnswer(await openPayment(), 'paid', PAID),
        status,
        amounts,
      )
      setAnswer(status, amounts)
      await onlyThisOne(payment)
      const questions: number[] = []
      for (let day = 1; day <= 200; day++) {
        await noteCallback(kassa.ctx, kassa.ctx.routes.route_a as Account)
        if ((await pass(1)) > 0) questions.push(day)
      }
      expect([questions, await dueInMs(payment)]).toEqual([[1, 7, 30, 90, 120, 180], null])
    })

  test('a paid payment is asked about daily again once no callback has come for three days', async () => {
    await addCallbacks()
    const payment = await askWithAnswer(await openPayment(), 'paid', PAID)
    await onlyThisOne(payment)
    const questions = []
    for (let day = 1; day <= 12; day++) questions.push(await pass(1))
    expect(questions).toEqual([1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1])
  })

  /** Lets minutes pass, and asks what is due at the end of each. Returns the minutes at which it was asked. */
  async function watch(minutes: number): Promise<number[]> {
    const questions: number[] = []
    for (let minute = 1; minute <= minutes; minute++) {
      const before = script.calls.length
      kassa.clock.advance(60_000)
      await SWEEPS.statusSync(kassa.ctx)
      if (script.calls.length > before) questions.push(minute)
    }
    return questions
  }

  test.each<[PaymentStatus, 'callbacks' | 'no callbacks' | 'a webhook that never called', number[]]>([
    ['pending_redirect', 'callbacks', [90]],
    ['pending_redirect', 'no callbacks', [1, 2, 3, 5, 10, 20, 35, 50, 65, 80, 90]],
    ['pending_redirect', 'a webhook that never called', [1, 2, 3, 5, 10, 20, 35, 50, 65, 80, 90]],
    ['pending_payment', 'callbacks', [1, 2, 3, 5, 10, 20, 35, 50, 65, 80, 90]],
  ])(
    'a payment that is %s at a provider with %s is asked about at the minutes %j',
    async (status, how, minutes) => {
      if (how === 'callbacks') await addCallbacks()
      if (how === 'a webhook that never called')
        script = scriptRoute(kassa.ctx, { callbacksSetUp: () => true })
      const payment = await openPayment()
      await onlyThisOne(payment)
      setAnswer(status, [0, 0, 0])
      if (status === 'pending_payment') await askAboutPayment(kassa.ctx, payment)
      expect(await watch(90)).toEqual(minutes)
    },
  )

  test('with callbacks a new status schedules a question, and the provider is asked exactly at the expiry', async () => {
    await addCallbacks()
    const payment = await openPayment()
    await askWithAnswer(payment, 'paid', PAID)
    const disputed = await askWithAnswer(payment, 'disputed', PAID)
    expect(await dueInMs(disputed)).toBeGreaterThan(DAY_MS - 60_000)
    const ending = await openPayment()
    await onlyThisOne(ending)
    setAnswer('pending_redirect', [0, 0, 0])
    const end = ending.expiresAt.getTime()
    kassa.clock.advance(end - kassa.clock.now().getTime() - 5_000)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await getPayment(ending.id)).attempt.questionDueAt?.getTime()).toBe(end)
    kassa.clock.advance(5_500)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await getPayment(ending.id)).status).toBe('expired')
  })
})
