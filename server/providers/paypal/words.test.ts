/**
 * Every word of PayPal's documents has a meaning here, and a word of tomorrow is never the harmless one. The documents are read where
 * SPECS_DIR names their folder.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { askAboutPayment } from '../../payments/attempts/question.ts'
import { listEntries } from '../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { type PaypalScene, setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import type { Snapshot } from '../driver.ts'
import { PROCESSOR_WORDS } from './decline.ts'
import { isKnownIssue, meaningOfIssue } from './issues.ts'
import { snapshotOf } from './snapshot.ts'
import { Order } from './wire.ts'
import {
  AUTHORIZATION_WORDS,
  CAPTURE_WORDS,
  DISPUTE_REASONS,
  DISPUTE_WORDS,
  ORDER_WORDS,
  OUTCOME_WORDS,
  PENDING_REASONS,
  REFUND_WORDS,
  SETUP_WORDS,
  STAGE_WORDS,
} from './words.ts'

const { SPECS_DIR } = process.env
type Schemas = Record<string, { enum?: string[]; properties?: Record<string, { enum?: string[] }> }>

test.skipIf(!SPECS_DIR)('every word of the documents has a meaning', () => {
  const schemasOf = (name: string): Schemas =>
    JSON.parse(readFileSync(join(SPECS_DIR ?? '', `paypal-${name}.json`), 'utf8')).components.schemas
  const orders = schemasOf('checkout_orders_v2')
  const payments = schemasOf('payments_payment_v2')
  const disputes = schemasOf('customer_disputes_v1')
  const lacking = (table: object, words: string[] = ['no such list']) =>
    words.filter((word) => !Object.hasOwn(table, word))
  expect(lacking(ORDER_WORDS, orders.order_status?.enum)).toEqual([])
  for (const schemas of [orders, payments]) {
    expect(lacking(CAPTURE_WORDS, schemas.capture_status?.properties?.status?.enum)).toEqual([])
    expect(lacking(AUTHORIZATION_WORDS, schemas.authorization_status?.properties?.status?.enum)).toEqual([])
    expect(lacking(REFUND_WORDS, schemas.refund_status?.properties?.status?.enum)).toEqual([])
    expect(lacking(PENDING_REASONS, schemas.capture_status_details?.properties?.reason?.enum)).toEqual([])
    expect(lacking(PROCESSOR_WORDS, schemas.processor_response?.properties?.response_code?.enum)).toEqual([])
  }
  const issues = ['checkout_orders_v2', 'payments_payment_v2', 'vault_payment_tokens_v3'].flatMap((name) => [
    ...issuesOf(JSON.parse(readFileSync(join(SPECS_DIR ?? '', `paypal-${name}.json`), 'utf8'))),
  ])
  expect(issues.length).toBeGreaterThan(200)
  expect(issues.filter((issue) => !isKnownIssue(issue))).toEqual([])
  expect(lacking(SETUP_WORDS, orders.vault_response?.properties?.status?.enum)).toEqual([])
  expect(lacking(DISPUTE_WORDS, disputes.status?.enum)).toEqual([])
  expect(lacking(STAGE_WORDS, disputes.dispute_lifecycle_stage?.enum)).toEqual([])
  expect(lacking(DISPUTE_REASONS, disputes.dispute_reason?.enum)).toEqual([])
  expect(lacking(OUTCOME_WORDS, disputes.dispute_outcome?.properties?.outcome_code?.enum)).toEqual([])
})

/** Returns every issue that a document lists, wherever it does. */
function issuesOf(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found
  const { issue } = node as { issue?: unknown }
  const listed =
    typeof issue === 'string' ? [issue] : ((issue as { enum?: unknown[] } | undefined)?.enum ?? [])
  for (const each of listed) if (typeof each === 'string') found.add(each)
  for (const value of Object.values(node)) issuesOf(value, found)
  return found
}

const AMOUNT = { currency_code: 'USD', value: '19.00' }

/** Returns what an order means. `payments`: each with its amount, where it has no other. */
function seen(status: string, payments: Record<string, object[]> = {}, intent = 'CAPTURE'): Snapshot {
  const listed = Object.entries(payments).map(([kind, all]) => [
    kind,
    all.map((each, index) => ({ id: `${kind}${index}`, amount: AMOUNT, ...each })),
  ])
  const unit = { custom_id: 'reference', amount: AMOUNT, payments: Object.fromEntries(listed) }
  const order = Order.parse({ id: 'O1', status, intent, purchase_units: [unit], links: [] })
  return snapshotOf(order, { declined: undefined, isCharge: false, now: new Date(0) })
}
const words = ({ unknownWords }: Snapshot) => unknownWords?.map(({ what, word }) => `${what}: ${word}`)

describe('a word of tomorrow', () => {
  test('as the status of an order, a capture or an authorization says nothing for sure', () => {
    const order = seen('PAUSED')
    expect([order.order, words(order)]).toEqual(['unclear', ['order status: PAUSED']])
    const capture = seen('COMPLETED', { captures: [{ status: 'SETTLING' }] })
    expect([capture.order, capture.capturedMinor, words(capture)]).toEqual([
      'unclear',
      0,
      ['capture status: SETTLING'],
    ])
    const held = seen('COMPLETED', { authorizations: [{ status: 'EXTENDED' }] }, 'AUTHORIZE')
    expect([held.order, held.authorizedMinor, words(held)]).toEqual([
      'unclear',
      0,
      ['authorization status: EXTENDED'],
    ])
  })

  test('as the status of a refund keeps the amount from being refunded again', () => {
    const refunds = [{ status: 'PARKED', amount: { ...AMOUNT, value: '5.00' } }]
    const snapshot = seen('COMPLETED', { captures: [{ status: 'COMPLETED' }], refunds })
    expect(snapshot).toMatchObject({ order: 'completed', refundedMinor: 0, refundPendingMinor: 500 })
    expect(words(snapshot)).toEqual(['refund status: PARKED'])
  })

  test('as a reason or a response code changes no money', () => {
    const captures = [{ status: 'PENDING', status_details: { reason: 'MOON' } }]
    const snapshot = seen('COMPLETED', { captures })
    expect(snapshot).toMatchObject({ order: 'reached', isUnderWay: true, detail: 'PayPal says MOON' })
    expect(words(snapshot)).toEqual(['reason of a pending payment: MOON'])
    const declined = seen('COMPLETED', {
      captures: [{ status: 'DECLINED', processor_response: { response_code: 'ZZZZ' } }],
    })
    expect([declined.order, declined.decline, words(declined)]).toEqual([
      'declined',
      'soft',
      ['processor response: ZZZZ'],
    ])
  })
})

test.each([
  ['a hold', [{ status: 'CREATED' }], [], 1_900, 0],
  ['a hold of which a part was captured', [{ status: 'CAPTURED' }], ['12.00'], 1_900, 1_200],
  ['a payment without a hold', [], ['19.00'], 1_900, 1_900],
])(
  '%s has the amounts that were held and captured',
  (_, authorizations, captured, authorizedMinor, capturedMinor) => {
    const captures = captured.map((value) => ({ status: 'COMPLETED', amount: { ...AMOUNT, value } }))
    const intent = authorizations.length > 0 ? 'AUTHORIZE' : 'CAPTURE'
    expect(seen('COMPLETED', { authorizations, captures }, intent)).toMatchObject({
      authorizedMinor,
      capturedMinor,
    })
  },
)

test('a capture is under way for every reason but those that come after it', () => {
  for (const [reason, { after, detail }] of Object.entries(PENDING_REASONS)) {
    const captures = [{ status: 'PENDING', status_details: { reason } }]
    const { order, isUnderWay, capturedMinor, refundedMinor, dispute } = seen('COMPLETED', {
      captures,
      refunds: [],
    })
    expect([reason, order, isUnderWay, capturedMinor, refundedMinor, dispute]).toEqual(
      after === undefined
        ? [reason, 'reached', true, 0, 0, undefined]
        : after === 'returned'
          ? [reason, 'completed', undefined, 1_900, 1_900, undefined]
          : [reason, 'completed', undefined, 1_900, 0, { amountMinor: 1_900, reason: detail }],
    )
  }
})

test('an issue is about what it says, and one of tomorrow about what its form says', () => {
  const meanings = {
    PAYEE_ACCOUNT_RESTRICTED: 'account',
    PAYEE_FX_RATE_ID_EXPIRED: 'request',
    PERMISSION_DENIED: 'rights',
    PERMISSION_DENIED_FOR_DONATION_ITEMS: 'request',
    PREVIOUS_REQUEST_IN_PROGRESS: 'busy',
    MAX_VALUE_EXCEEDED: 'amount',
    CAPTURE_FULLY_REFUNDED: 'order',
    PAYEE_ON_THE_MOON: 'account',
    NOT_ENABLED_FOR_MOONS: 'rights',
    MOON_IN_PROGRESS: 'busy',
    MOON: 'request',
  }
  expect(Object.fromEntries(Object.keys(meanings).map((issue) => [issue, meaningOfIssue(issue)]))).toEqual(
    meanings,
  )
})

describe('in a whole Kassa', () => {
  let scene: PaypalScene
  beforeAll(async () => {
    scene = await setPaypalScene()
    // Otherwise PayPal shows neither reasons nor amounts and stages of disputes.
    scene.server.paypal.world.isFull = true
  })
  afterAll(() => scene.close())

  const ask = async (id: string) => askAboutPayment(scene.kassa.ctx, await scene.payment(id))
  const warnings = async (id: string) =>
    (await listPaymentWarnings(scene.kassa.ctx.db, scene.shop.merchantId, id)).map(({ detail }) => detail)
  async function pay() {
    const id = await scene.pay()
    const [order] = await scene.orders(id)
    const [capture] = order?.captures ?? []
    if (!capture) throw new Error('PayPal has no capture')
    return { id, capture }
  }
  function complain(captureId: string, changes: object) {
    const dispute = {
      id: `D${captureId}`,
      captureId,
      status: 'WAITING_FOR_SELLER_RESPONSE',
      stage: 'CHARGEBACK',
      outcome: null,
      amount: { currency_code: 'USD', value: '19.00' },
      customId: undefined,
      createdAt: new Date(),
      updatedAt: new Date(),
    }
    const all = scene.server.account.disputes as object[]
    all.push(Object.assign(dispute, changes))
    return dispute as Record<string, unknown>
  }

  test('a capture that goes back to PENDING by a complaint is disputed, and its dispute is asked about', async () => {
    const { id, capture } = await pay()
    Object.assign(capture, { status: 'PENDING', reason: 'BUYER_COMPLAINT' })
    await ask(id)
    expect(await scene.payment(id)).toMatchObject({ status: 'disputed', capturedMinor: 1_900 })
    complain(capture.id, { status: 'RESOLVED', outcome: 'RESOLVED_BUYER_FAVOUR' })
    await ask(id)
    expect(await scene.payment(id)).toMatchObject({ status: 'reversed', refundedMinor: 1_900 })
    expect(await warnings(id)).toEqual([])
  })

  test('a dispute in another currency changes no sum: its money is entered in its currency, and a person is told', async () => {
    const { id, capture } = await pay()
    const amount = { currency_code: 'EUR', value: '17.00' }
    const dispute = complain(capture.id, { amount })
    await ask(id)
    expect((await scene.payment(id)).status).toBe('paid')
    Object.assign(dispute, { status: 'RESOLVED', outcome: 'RESOLVED_BUYER_FAVOUR' })
    for (let times = 0; times < 2; times++) await ask(id)
    const payment = await scene.payment(id)
    expect(payment).toMatchObject({ status: 'paid', refundedMinor: 0 })
    const entries = await listEntries(scene.kassa.ctx.db, payment)
    expect(
      entries
        .filter(({ currency }) => currency === 'EUR')
        .map(({ kind, amountMinor }) => [kind, amountMinor]),
    ).toEqual([['over_returned', 1_700]])
    expect((await warnings(id)).length).toBeGreaterThanOrEqual(2)
  })

  test('words of tomorrow about a dispute make it open, with one warning for each', async () => {
    const { id, capture } = await pay()
    complain(capture.id, { status: 'MEDIATED', stage: 'COUNCIL' })
    for (let times = 0; times < 3; times++) await ask(id)
    expect((await scene.payment(id)).status).toBe('disputed')
    expect(
      (await warnings(id)).map((each) => /"(\w+)" as ([a-z ]+),/.exec(each)?.slice(1)).toSorted(),
    ).toEqual([
      ['COUNCIL', 'stage of a dispute'],
      ['MEDIATED', 'dispute status'],
    ])
  })
})
