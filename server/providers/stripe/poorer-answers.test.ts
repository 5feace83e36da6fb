/**
 * Stripe shows null for much that it does not know, and could leave out any field one day. Without a field that the driver needs there
 * is no verdict, so the question is asked again. Without any other field the verdict is the same.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { expectNoCrash, moneyIn, withoutEachField } from '../../testing/providers/poorer-answers.ts'
import type { CardName } from '../../testing/providers/stripe/cards.ts'
import { type StripeScene, setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { LookUpResult, MoneyWrite, ProviderCall, ProviderOrder, WriteName } from '../driver.ts'
import { stripeDriver } from './driver.ts'
import type { StripeSettings } from './settings.ts'

const scene = closeAfter(await setStripeScene())
beforeAll(async () => {
  scene.account.isFull = true
})

type Call = ProviderCall<StripeSettings>
type Paid = Awaited<ReturnType<StripeScene['pay']>>
let keys = 0

function writeOf(order: Paid, amountMinor: number): MoneyWrite {
  return { ...order, key: `write-${++keys}`, amountMinor, reason: null }
}

async function opened(card?: CardName): Promise<ProviderOrder> {
  const given = scene.attempt()
  const page = await scene.start(given)
  if (card) scene.buyer(page, card)
  return { reference: given.reference, state: page.state ?? null }
}

/** Pays, does these writes, and waits. */
async function paid(
  description: string,
  writes: readonly [WriteName, amountMinor: number][],
  laterMs: readonly number[] = [],
): Promise<ProviderOrder> {
  const isHeld = writes.some(([name]) => name !== 'refund') || description === 'held'
  const call = scene.callWith({ STEPS: isHeld ? 'two' : 'one' })
  const order = await scene.pay({ description }, 'visa', call)
  for (const [name, amountMinor] of writes) await stripeDriver[name]?.(call, writeOf(order, amountMinor))
  for (const ms of laterMs) await scene.later(ms)
  return order
}

const ORDERS: Record<string, () => Promise<ProviderOrder>> = {
  'open session': () => opened(),
  'declined card': () => opened('insufficient_funds'),
  'question of the bank': () => opened('three_d_secure'),
  payment: () => paid('tea', []),
  'payment with refunds': () =>
    paid('tea', [
      ['refund', 700],
      ['refund', 100],
    ]),
  'payment with a pending refund': () => paid('simulate refund_pending', [['refund', 700]]),
  'payment with a failed refund': () =>
    paid('simulate refund_fails_after_success', [['refund', 700]], [30_000]),
  hold: () => paid('held', []),
  'hold of which half is captured and refunded': () =>
    paid('tea', [
      ['capture', 950],
      ['refund', 950],
    ]),
  'hold that was voided': () => paid('tea', [['void', 1_900]]),
  'disputed payment': () => paid('simulate dispute_won', [], [25_000]),
  'lost dispute': () => paid('simulate dispute_lost', [], [25_000, 70_000]),
}

/** The orders have most fields in common, so each field is absent from some of their answers, and null in others. */
async function expectRightVerdicts(name: string, isTried: (number: number) => boolean): Promise<void> {
  const order = (await ORDERS[name]?.()) as ProviderOrder
  const look = async (call: Call) => (await stripeDriver.lookUp?.(call, order)) as LookUpResult
  const lack = Object.keys(ORDERS).indexOf(name) % 2 === 0 ? 'absent' : 'null'
  const { whole, poorer } = await withoutEachField(scene.callWith(), look, [lack], isTried)
  expect(poorer.length).toBeGreaterThan(25)
  for (const { field, lack, result } of poorer)
    if (result instanceof Error) expectNoCrash(result)
    else expect([field, lack, factsOf(result)]).toEqual([field, lack, factsOf(whole)])
  // Fields that decide nothing about money may be missing.
  const unread = new Set(poorer.filter(({ result }) => result instanceof Error).map(({ field }) => field))
  for (const aside of ASIDE) expect([...unread].filter((field) => field.endsWith(aside))).toEqual([])
}

/** Of two orders with the same lack one is without the even fields, and one without the odd ones. */
const halfOf = (name: string) => Math.floor(Object.keys(ORDERS).indexOf(name) / 2) % 2
const TITLE = 'without one of its fields the verdict is right, or there is none: %s'

test.each(Object.keys(ORDERS))(TITLE, (name) =>
  expectRightVerdicts(name, (number) => number % 2 === halfOf(name)),
)

describe('the other half of the fields', { tags: ['long'] }, () => {
  test.each(Object.keys(ORDERS))(TITLE, (name) =>
    expectRightVerdicts(name, (number) => number % 2 !== halfOf(name)),
  )
})

const ASIDE = [
  '.balance_transaction',
  '.fee',
  '.payment_method_details',
  '.brand',
  '.last4',
  '.failure_code',
  '.url',
]

/** Without money it does not matter which of Stripe's objects shows that the buyer has not paid. */
function factsOf(found: LookUpResult): unknown {
  const { authorizedMinor = 0, capturedMinor = 0 } = found.kind === 'found' ? found.snapshot : {}
  const { order, ...sums } = moneyIn(found) as { order: string }
  const isWithoutMoney = authorizedMinor === 0 && capturedMinor === 0 && UNPAID.includes(order)
  return isWithoutMoney ? sums : { order, ...sums }
}

const UNPAID = ['waiting', 'reached', 'cancelled', 'voided']
