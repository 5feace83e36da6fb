/** What is specific to Stripe: keys, clocks, errors, declines, and the members of a snapshot. */
import { describe, expect, test } from 'vitest'
import type { ApiFault } from '../../testing/providers/stripe/front.ts'
import {
  DISPUTE_LASTS_MS,
  DISPUTE_OPENS_MS,
  HOLD_MS,
  openDispute,
} from '../../testing/providers/stripe/payments.ts'
import { STRIPE_KEY, type StripeScene, setStripeScene } from '../../testing/providers/stripe-scene.ts'
import { closeAfter } from '../../testing/scene.ts'
import type { MoneyWrite } from '../driver.ts'
import { stripeDriver } from './driver.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

const scene = closeAfter(await setStripeScene())

type Paid = Awaited<ReturnType<StripeScene['pay']>>
const { refund, startCheckout } = stripeDriver
const writeOf = (paid: Paid, key: string, amountMinor = 700): MoneyWrite => ({
  ...paid,
  key,
  amountMinor,
  reason: 'returned by planted.buyer@example.com',
})

describe('opening a session', () => {
  test('sends the same request for the same attempt, and opens one session', async () => {
    const given = scene.attempt()
    const [one, other] = [await scene.start(given), await scene.start(given)]
    expect(other).toEqual(one)
    const [first, second] = scene.server.writes.slice(-2)
    expect(second).toEqual(first)
    expect(first?.key).toBe(given.reference)
  })

  test('fills in the address of the buyer. An address that Stripe does not read is left out', async () => {
    const start = (email: string) => scene.start(scene.attempt({ customer: { email } }))
    const known = [await start('ani@example.com'), await start('"ani"@example.com')].map(({ url }) =>
      [...scene.account.sessions.values()].find((session) => session.url === url),
    )
    expect(known.map((session) => session?.customer_email)).toEqual(['ani@example.com', null])
  })

  test.each(['broken', 'broken_before', 'in_use', 'busy', 'hang_up'] satisfies ApiFault[])(
    'after %s the next starts open one session',
    async (fault) => {
      const given = scene.attempt()
      scene.server.spoilNextWrite(fault)
      await expect(scene.start(given)).rejects.toThrow()
      for (let times = 0; times < 2; times++)
        expect((await startCheckout?.(scene.callWith(), given))?.kind).toBe('redirect')
      const own = [...scene.account.sessions.values()].filter(
        ({ client_reference_id: reference }) => reference === given.reference,
      )
      expect(own).toHaveLength(1)
    },
  )

  test('is unknown while Stripe fails time and again, and then opens one session', async () => {
    const given = scene.attempt()
    scene.server.spoilNextWrite('broken_before')
    await expect(scene.start(given)).rejects.toThrow()
    const start = () => startCheckout?.(scene.callWith(), given)
    // The first key is tried first each time, and gives the failure that Stripe keeps.
    scene.server.spoilNextWrite('busy')
    await expect(start()).rejects.toThrow()
    expect([await start(), await start()]).toMatchObject([{ kind: 'redirect' }, { kind: 'redirect' }])
    const keys = scene.server.writes.map(({ key }) => key).filter((key) => key.startsWith(given.reference))
    expect(new Set(keys).size).toBe(2)
  })

  test('finds the session again when the attempt is described otherwise than before', async () => {
    const given = scene.attempt()
    const { url } = await scene.start(given)
    expect(await scene.start({ ...given, merchantName: 'Renamed', description: null })).toMatchObject({ url })
  })

  test.each([
    ['in 90 minutes', 90 * MINUTE_MS, 90 * MINUTE_MS],
    ['too soon for Stripe', 10 * MINUTE_MS, DAY_MS],
    ['too late for Stripe', 30 * DAY_MS, DAY_MS],
  ])('an attempt that expires %s gets a session that Stripe accepts', async (_, ms, livesMs) => {
    const opened = await scene.start(scene.attempt({ expiresAt: new Date(scene.now().getTime() + ms) }))
    const lives = (opened.expiresAt?.getTime() ?? 0) - scene.now().getTime()
    expect(Math.abs(lives - livesMs)).toBeLessThan(5_000)
  })

  test('a clock that is ahead of Stripe’s opens a session all the same', async () => {
    const call = { ...scene.callWith(), now: () => new Date(scene.now().getTime() + 3 * DAY_MS) }
    const expiresAt = new Date(call.now().getTime() + 90 * MINUTE_MS)
    const opened = await scene.start(scene.attempt({ expiresAt }), call)
    expect(opened.expiresAt).toBeUndefined()
  })

  test('an amount that is too small or too large is rejected with a reason, and no session exists', async () => {
    for (const [amountMinor, message] of [
      [10, 'the amount is below the smallest one that Stripe takes in this currency'],
      [100_000_000, 'the amount is above the largest one that Stripe takes'],
    ] as const) {
      const result = await startCheckout?.(scene.callWith(), scene.attempt({ amountMinor }))
      expect(result).toEqual({ kind: 'refused', message, refusal: 'amount' })
    }
  })

  test('AMD counts in hundredths', async () => {
    const { snapshot } = await scene.look(
      await scene.pay({ currency: 'AMD', amountMinor: 190_000, description: '' }),
    )
    expect(snapshot).toMatchObject({ amountMinor: 190_000, currency: 'AMD', capturedMinor: 190_000 })
  })
})

describe('a write', () => {
  test.each(['broken', 'in_use', 'busy', 'hang_up'] satisfies ApiFault[])(
    'that ended in %s and is sent again is done once',
    async (fault) => {
      const paid = await scene.pay()
      const write = writeOf(paid, `told-${fault}`)
      scene.server.spoilNextWrite(fault)
      await expect(refund?.(scene.callWith(), write)).rejects.toThrow()
      await refund?.(scene.callWith(), write).catch(() => {})
      await refund?.(scene.callWith(), write).catch(() => {})
      expect((await scene.look(paid)).snapshot).toMatchObject({ refundedMinor: 700 })
      const own = [...scene.account.refunds.values()].filter(({ metadata }) =>
        Object.values(metadata ?? {}).includes(`told-${fault}`),
      )
      expect(own).toHaveLength(1)
    },
  )

  test('would be done twice once Stripe has forgotten its key: the driver states for how long it is safe', async () => {
    const paid = await scene.pay()
    const write = writeOf(paid, 'forgotten')
    await refund?.(scene.callWith(), write)
    expect(stripeDriver.keyed?.({} as never)).toMatchObject({ start: DAY_MS, charge: DAY_MS, refund: DAY_MS })
    await scene.later(DAY_MS + 1)
    await refund?.(scene.callWith(), write)
    expect((await scene.look(paid)).snapshot.refundedMinor).toBe(1_400)
  })

  test('under a used key with another amount has an unknown outcome', async () => {
    const paid = await scene.pay()
    await refund?.(scene.callWith(), writeOf(paid, 'twice'))
    await expect(refund?.(scene.callWith(), writeOf(paid, 'twice', 300))).rejects.toThrow('idempotency_error')
    expect((await scene.look(paid)).snapshot.refundedMinor).toBe(700)
  })

  test('that Stripe would reject is rejected before it is sent', async () => {
    const { before } = await scene.pay()
    const eligible = (write: 'void' | 'capture' | 'refund', changes: object = {}) =>
      stripeDriver.eligible?.(scene.callWith(), write, {
        reference: before.reference,
        state: null,
        begunAt: new Date(),
        snapshot: { ...before, ...changes },
      })
    expect(eligible('void')).toBe('the payment is captured, and Stripe can only refund it')
    expect(eligible('capture')).toBe('nothing is authorized, and Stripe captures once')
    expect(eligible('refund', { dispute: { amountMinor: 1 } })).toContain('disputes the payment')
    expect(eligible('refund')).toBeNull()
  })
})

describe('a snapshot', () => {
  test('has the card, transaction, fee and time of a paid order, and no name or address', async () => {
    scene.account.isFull = true
    const { before } = await scene.pay({}, 'mastercard')
    scene.account.isFull = false
    expect(before).toMatchObject({
      order: 'completed',
      instrument: { kind: 'card', brand: 'mastercard', last4: '4444' },
      providerTransactionId: expect.stringMatching(/^ch_/),
      feeMinor: 85,
      capturedAt: expect.stringMatching(/^\d{4}-/),
    })
    expect(JSON.stringify(before)).not.toMatch(/planted/i)
  })

  test.each([
    ['insufficient_funds', 'soft', 'ask_another_card'],
    ['declined', 'soft', 'ask_bank'],
    ['lost_card', 'hard', 'fraud'],
    ['stolen_card', 'hard', 'fraud'],
    ['fraudulent', 'hard', 'fraud'],
    ['expired_card', 'hard', 'ask_another_card'],
    ['incorrect_cvc', 'soft', 'ask_another_card'],
    ['processing_error', 'soft', 'technical'],
  ] as const)('of the card %s is %s and %s, and the buyer may try again', async (card, decline, category) => {
    const { before } = await scene.pay({}, card)
    expect(before).toMatchObject({
      order: 'reached',
      decline,
      declineCategory: category,
      capturedMinor: 0,
    })
  })

  test('follows a dispute that is lost: its reason, its deadline, then the money is gone', async () => {
    const order = await scene.pay({ description: 'simulate dispute_lost' })
    await scene.later(DISPUTE_OPENS_MS)
    expect((await scene.look(order)).snapshot).toMatchObject({
      dispute: { amountMinor: 1_900, reason: 'fraudulent', answerBy: expect.stringMatching(/^\d{4}-/) },
    })
    await scene.later(DISPUTE_LASTS_MS)
    const { snapshot } = await scene.look(order)
    expect(snapshot).toMatchObject({ capturedMinor: 1_900, refundedMinor: 0, disputeLostMinor: 1_900 })
    expect(snapshot.dispute).toBeUndefined()
  })

  test('about a part has its amount, and leaves the rest', async () => {
    const order = await scene.pay({ description: 'simulate dispute_part_lost' })
    await scene.later(DISPUTE_OPENS_MS)
    const open = (await scene.look(order)).snapshot
    expect(open).toMatchObject({ dispute: { amountMinor: 950 } })
    await scene.later(DISPUTE_LASTS_MS)
    const { snapshot } = await scene.look(order)
    expect(snapshot).toMatchObject({ order: 'completed', capturedMinor: 1_900, disputeLostMinor: 950 })
    expect(snapshot.dispute).toBeUndefined()
  })

  test('several disputes of one charge are summed, and one in another currency by what it took', async () => {
    const order = await scene.pay({ description: 'simulate dispute_part_lost' })
    await scene.later(DISPUTE_OPENS_MS)
    await scene.later(DISPUTE_LASTS_MS)
    const { account, server } = scene
    const charge = [...account.charges.values()].at(-1)
    if (!charge) throw new Error('Stripe has no charge')
    for (const amount of [300, 200]) openDispute(server.books, account, charge, 'dispute_won', amount)
    expect((await scene.look(order)).snapshot).toMatchObject({
      dispute: { amountMinor: 500 },
      disputeLostMinor: 950,
    })
    for (const dispute of account.disputes.values()) if (dispute.amount === 300) dispute.currency = 'amd'
    expect((await scene.look(order)).snapshot.dispute?.amountMinor).toBe(500)
    // Without the movements of money nobody can say how much it is about.
    for (const dispute of account.disputes.values())
      if (dispute.amount === 300) dispute.balance_transactions = []
    expect((await scene.look(order)).snapshot).toMatchObject({
      dispute: { amountMinor: 200 },
      doubts: [expect.stringContaining('about 300 minor units of AMD is open')],
    })
  })

  test('a dispute that is won, and an inquiry, leave the payment paid', async () => {
    const won = await scene.pay({ description: 'simulate dispute_won' })
    const disputed = await scene.pay({ description: 'simulate inquiry' })
    await scene.later(DISPUTE_OPENS_MS)
    const { dispute, inquiry } = (await scene.look(disputed)).snapshot
    expect([dispute, inquiry]).toMatchObject([undefined, { amountMinor: 1_900, reason: 'fraudulent' }])
    await scene.later(DISPUTE_LASTS_MS)
    expect((await scene.look(disputed)).snapshot.inquiry).toBeUndefined()
    for (const order of [won, disputed]) {
      const { snapshot } = await scene.look(order)
      expect(snapshot).toMatchObject({ order: 'completed', capturedMinor: 1_900, refundedMinor: 0 })
      expect(snapshot.dispute).toBeUndefined()
    }
  })

  test('of a hold that nobody captured within a week is reversed, and nothing counts as refunded', async () => {
    const call = scene.callWith({ STEPS: 'two' })
    const order = await scene.pay({}, 'visa', call)
    expect(order.before).toMatchObject({ order: 'completed', authorizedMinor: 1_900, capturedMinor: 0 })
    await scene.later(HOLD_MS)
    const { snapshot } = await scene.look(order)
    expect([snapshot.order, snapshot.refundedMinor, snapshot.authorizedMinor]).toEqual(['voided', 0, 0])
  })

  test('of a session that nobody paid in time is expired', async () => {
    const given = scene.attempt()
    const { state } = await scene.start(given)
    expect((await scene.look({ reference: given.reference, state })).snapshot.order).toBe('waiting')
    await scene.later(91 * MINUTE_MS)
    expect((await scene.look({ reference: given.reference, state })).snapshot.order).toBe('expired')
  })
})

test('the exchange log has no secret or personal data of any call', () => {
  expect(scene.exchanges.length).toBeGreaterThan(100)
  const kept = JSON.stringify(scene.exchanges)
  expect(kept).not.toContain(STRIPE_KEY)
  expect(kept).not.toMatch(/planted|Gyumri|37400000000|_secret_simulated/i)
})
