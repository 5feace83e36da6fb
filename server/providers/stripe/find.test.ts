/** Finding an order by our reference alone, and which amounts count as refunded. */
import { describe, expect, test } from 'vitest'
import { setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import { stripeDriver } from './driver.ts'
import { type Charge, type Intent, OPERATION, REFERENCE, type Refund } from './shapes.ts'
import { snapshotOf } from './snapshot.ts'

const MINUTE_MS = 60_000

const scene = closeAfter(await setStripeScene())

/** Looks the order up with a live or a test account. Stripe's objects are then of the same mode. */
const lookUp = async (reference: string, live: boolean, after = scene.now()) => {
  for (const session of scene.account.sessions.values()) session.livemode = live
  const opened = { after, before: scene.now() }
  return stripeDriver.lookUp?.(scene.callWith({}, live), { reference, state: null, opened })
}
let references = 0
const newReference = () => `find${++references}`

describe('an order whose ids are not known', () => {
  test.each([0, 20, 600])('is found if it was opened %d minutes after it was planned', async (minutes) => {
    const reference = newReference()
    const plannedAt = scene.now()
    await scene.later(minutes * MINUTE_MS)
    await scene.start(scene.attempt({ reference }))
    expect(await lookUp(reference, true, plannedAt)).toMatchObject({
      kind: 'found',
      snapshot: { reference },
    })
    expect(await lookUp(newReference(), true, plannedAt)).toEqual({ kind: 'not_found' })
  })

  test('is found among more orders than fit on a page, and stays unknown if there are too many', async () => {
    const reference = newReference()
    await scene.start(scene.attempt({ reference }))
    const [first] = scene.account.sessions.values()
    if (!first) throw new Error('no session')
    const add = (count: number, from: number) => {
      for (let index = from; index < from + count; index++) {
        const id = `cs_test_filler${index}`
        const created = Math.floor(scene.now().getTime() / 1_000)
        scene.account.sessions.set(id, { ...first, id, created, client_reference_id: null, metadata: {} })
      }
    }
    add(250, 0)
    expect(await lookUp(reference, false)).toMatchObject({ kind: 'found', snapshot: { reference } })
    add(2_000, 250)
    expect(await lookUp(reference, false)).toMatchObject({ kind: 'unavailable' })
  })
})

describe('money that was held and not captured', () => {
  const refund = (amount: number, changes: Partial<Refund> = {}): Refund => ({
    id: `re_${amount}`,
    amount,
    status: 'succeeded',
    reason: null,
    balance_transaction: 'txn_1',
    created: 1,
    ...changes,
  })
  const charge: Charge = {
    id: 'ch_1',
    status: 'succeeded',
    amount: 1_900,
    amount_captured: 700,
    captured: true,
    created: 1,
    disputed: false,
    balance_transaction: null,
  }
  const intent: Intent = {
    id: 'pi_1',
    object: 'payment_intent',
    status: 'succeeded',
    amount: 1_900,
    amount_capturable: 0,
    amount_received: 700,
    currency: 'usd',
    metadata: { [REFERENCE]: 'held' },
    latest_charge: charge,
  }
  const refunded = (refunds: Refund[]) =>
    snapshotOf({ session: null, intent, refunds, disputes: [] }).refundedMinor

  test.each([
    [{ fee: 85, currency: 'usd' }, 85],
    [{ fee: 33_000, currency: 'amd' }, undefined],
    [{ fee: -5, currency: 'usd' }, undefined],
  ])('has the fee %o only in its own currency', (booked, feeMinor) => {
    const latest_charge: Charge = { ...charge, balance_transaction: { ...booked, created: 1 } }
    const picture = { session: null, intent: { ...intent, latest_charge }, refunds: [], disputes: [] }
    expect(snapshotOf(picture).feeMinor).toBe(feeMinor)
  })

  test('does not count as refunded, however Stripe lists its release', () => {
    expect(refunded([refund(1_200, { reason: 'partial_capture' })])).toBe(0)
    expect(refunded([refund(1_200, { balance_transaction: null })])).toBe(0)
    expect(refunded([refund(300), refund(1_200, { balance_transaction: null })])).toBe(300)
  })

  test('and a refund of what was captured counts', () => {
    expect(refunded([refund(300), refund(200, { balance_transaction: null })])).toBe(500)
    expect(refunded([refund(300), refund(200, { status: 'failed' })])).toBe(300)
    // Stripe books a refund a while later. One of ours is no release, although it has the same sum.
    const metadata = { [OPERATION]: 'op' }
    expect(refunded([refund(1_200, { balance_transaction: null, metadata })])).toBe(1_200)
  })
})
