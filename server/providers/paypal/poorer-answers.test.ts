/**
 * PayPal's documents require hardly any field of an answer. Without a field that the driver needs there is no verdict, so the
 * question is asked again. Without any other field the verdict is the same.
 */
import { expect, test } from 'vitest'
import { startScenes } from '../../testing/providers/driver-scenes.ts'
import { startPaypalBench } from '../../testing/providers/paypal-bench.ts'
import {
  bodiesWithout,
  expectNoCrash,
  moneyIn,
  type Poorer,
  withoutEachField,
} from '../../testing/providers/poorer-answers.ts'
import { closeAfter } from '../../testing/scene.ts'
import type {
  LookUpResult,
  MoneyWrite,
  ProviderCall,
  ProviderOrder,
  WriteName,
  WriteResult,
} from '../driver.ts'
import { paypalDriver } from './driver.ts'
import type { PaypalSettings } from './settings.ts'

const scenes = closeAfter(
  await startScenes({ driver: paypalDriver, start: () => startPaypalBench(undefined, true) }),
)

type Call = ProviderCall<PaypalSettings>
type Paid = Awaited<ReturnType<typeof scenes.paid>>
let keys = 0

function writeOf(order: Paid, amountMinor: number): MoneyWrite {
  return { ...order, key: `write-${++keys}`, amountMinor, currency: order.attempt.currency, reason: null }
}
const send = (name: WriteName, order: Paid, amountMinor: number, steps: 'one' | 'two' = 'one') =>
  scenes.call(async (each) => paypalDriver[name]?.(each, writeOf(order, amountMinor)), { steps })

async function opened(buyer?: 'approve'): Promise<ProviderOrder> {
  const given = scenes.attempt()
  const page = await scenes.open(given)
  if (buyer) await scenes.simulator.buyer(page, buyer)
  return { reference: given.reference, state: page.state ?? null }
}

async function held(then: WriteName | null, amountMinor = 0): Promise<ProviderOrder> {
  const order = await scenes.paid({ steps: 'two' })
  if (then) await send(then, order, amountMinor, 'two')
  return order
}

async function refunded(description: string, ...amounts: number[]): Promise<ProviderOrder> {
  const order = await scenes.paid({}, { description })
  for (const amountMinor of amounts) await send('refund', order, amountMinor)
  return order
}

const ORDERS: Record<string, () => Promise<ProviderOrder>> = {
  'open order': () => opened(),
  'approved order': () => opened('approve'),
  payment: () => scenes.paid(),
  'payment that PayPal reviews': () => scenes.paid({}, { description: 'simulate:late_paid' }),
  'payment with refunds': () => refunded('tea', 700, 100),
  'payment that is refunded': () => refunded('tea', 1_900),
  'payment with a pending refund': () => refunded('simulate:refund_fails_later', 700),
  hold: () => held(null),
  'hold of which a part is captured': () => held('capture', 700),
  'hold that was voided': () => held('void', 1_900),
}

/** What the driver needs to know. Everything else may be missing. */
const NEEDED = [
  'id',
  'purchase_units',
  'purchase_units.[].amount',
  'purchase_units.[].amount.currency_code',
  'purchase_units.[].amount.value',
  'purchase_units.[].custom_id',
  'purchase_units.[].payments',
  'purchase_units.[].payments.authorizations',
  'purchase_units.[].payments.authorizations.[].amount',
  'purchase_units.[].payments.authorizations.[].amount.currency_code',
  'purchase_units.[].payments.authorizations.[].amount.value',
  'purchase_units.[].payments.authorizations.[].id',
  'purchase_units.[].payments.authorizations.[].status',
  'purchase_units.[].payments.captures',
  'purchase_units.[].payments.captures.[].amount',
  'purchase_units.[].payments.captures.[].amount.currency_code',
  'purchase_units.[].payments.captures.[].amount.value',
  'purchase_units.[].payments.captures.[].id',
  'purchase_units.[].payments.captures.[].status',
  'purchase_units.[].payments.refunds',
  'purchase_units.[].payments.refunds.[].amount',
  'purchase_units.[].payments.refunds.[].amount.currency_code',
  'purchase_units.[].payments.refunds.[].amount.value',
  'purchase_units.[].payments.refunds.[].id',
  'purchase_units.[].payments.refunds.[].status',
  'status',
]
const ORDER = 'GET /v2/checkout/orders/:id '
/** Nothing else in the answer shows that a refund is pending, so a missing list is a list without refunds. */
const UNSEEN = ['payment with a pending refund', `${ORDER}purchase_units.[].payments.refunds`]

test('the verdict on an order without one of its fields is right, or there is none', async () => {
  const without = new Set<string>()
  for (const [name, prepare] of Object.entries(ORDERS)) {
    const order = await prepare()
    const look = async (call: Call) => (await paypalDriver.lookUp?.(call, order)) as LookUpResult
    const { whole, poorer } = await scenes.call((each) => withoutEachField(each, look))
    for (const { field, lack, result } of poorer) {
      if (result instanceof Error) {
        expectNoCrash(result)
        if (lack === 'absent') without.add(field.replace(ORDER, ''))
      } else if (!(UNSEEN[0] === name && UNSEEN[1] === field))
        expect([name, field, lack, moneyIn(result)]).toEqual([name, field, lack, moneyIn(whole)])
    }
  }
  expect([...without].sort()).toEqual(NEEDED)
})

/** A list of disputes without disputes has no items. */
const NO_ITEMS = 'GET /v1/customer/disputes items'

test('an answer about disputes without one of its fields never hides a dispute', async () => {
  const disputed = await scenes.paid({}, { description: 'simulate:disputed' })
  const lost = await scenes.paid({}, { description: 'simulate:dispute_lost' })
  await scenes.simulator.advance(60_000)
  await scenes.simulator.advance(25 * 3_600_000)
  for (const order of [disputed, lost]) {
    const look = async (call: Call) => (await paypalDriver.lookUp?.(call, order)) as LookUpResult
    const { whole, poorer } = await scenes.call((each) => withoutEachField(each, look))
    const ofDisputes = poorer.filter(({ field }) => field.includes('disputes') && field !== NO_ITEMS)
    expect(ofDisputes.length).toBeGreaterThan(15)
    for (const { field, lack, result } of ofDisputes)
      if (result instanceof Error || result.kind !== 'found') expect([field, result]).toBe('a verdict')
      else if (!result.snapshot.disputesUnknown)
        expect([field, lack, moneyIn(result)]).toEqual([field, lack, moneyIn(whole)])
  }
})

test('a whole answer also has the fee and the time of the payment, and nothing about the buyer', async () => {
  const { before } = await scenes.paid()
  expect(before).toMatchObject({ feeMinor: 115, capturedAt: expect.any(String) })
  expect(JSON.stringify(before)).not.toMatch(/buyer|Planted/i)
})

test('the result of a write whose answer lacks a field is never a refusal', async () => {
  const one = await scenes.paid()
  const hold = await scenes.paid({ steps: 'two' })
  const given = await scenes.paid({ steps: 'two' })
  const approved = await opened('approve')
  const acts: Record<string, (call: Call) => Promise<{ kind: string } | undefined>> = {
    refund: async (call) => paypalDriver.refund?.(call, writeOf(one, 700)),
    capture: async (call) => paypalDriver.capture?.(call, writeOf(hold, 700)),
    void: async (call) => paypalDriver.void?.(call, writeOf(given, 1_900)),
    finalize: async (call) => paypalDriver.finalize?.(call, approved, 'write-of-an-approval'),
    startCheckout: async (call) => paypalDriver.startCheckout?.(call, scenes.attempt()),
    saveToken: async (call) => paypalDriver.saveToken?.(call, scenes.attempt()),
  }
  for (const [name, act] of Object.entries(acts)) {
    const { whole, poorer } = await scenes.call((each) => withoutEachField(each, act), { steps: 'two' })
    for (const each of poorer) expectUnharmed(name, whole as WriteResult, each as Poorer<WriteResult>)
  }
})

function expectUnharmed(name: string, whole: WriteResult, poorer: Poorer<WriteResult>): void {
  const { field, lack, result } = poorer
  if (result instanceof Error) expectNoCrash(result)
  else expect([name, field, lack, result.kind]).toEqual([name, field, lack, kindAllowed(whole, result)])
}

const kindAllowed = ({ kind }: WriteResult, { kind: shown }: WriteResult) =>
  shown === 'unknown' ? 'unknown' : kind

const VERIFIED = '{"verification_status":"SUCCESS"}'

/** PayPal confirms that every message is genuine. */
function believing(call: Call): Call {
  const request: Call['http']['request'] = async (given) =>
    given.url.endsWith('/verify-webhook-signature')
      ? { status: 200, headers: {}, text: VERIFIED, body: Buffer.from(VERIFIED) }
      : call.http.request(given)
  return { ...call, http: { ...call.http, request } }
}

test('a callback without one of its fields is never about another order', async () => {
  await scenes.simulator.callbacks()
  const { reference } = await refunded('tea', 700)
  const callbacks = await scenes.simulator.callbacks()
  expect(callbacks.length).toBeGreaterThan(2)
  for (const raw of callbacks)
    for (const body of bodiesWithout(raw.body.toString())) {
      const event = await scenes.call((each) =>
        paypalDriver.inbound?.receive(believing(each), { ...raw, body: Buffer.from(body) }),
      )
      if (event?.kind === 'hint') expect([reference, '']).toContain(event.reference)
      else expect(event?.kind).toBe('rejected')
    }
})
