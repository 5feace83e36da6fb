/** What the simulated bank does on its own, and what it rejects. */
import { describe, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { payAtBank } from '../../testing/calls.ts'
import { setBankScene } from '../../testing/providers/bank-scene.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import {
  DISPUTE_LASTS_MS,
  DISPUTE_OPENS_MS,
  EARLY_MS,
  HELD_BACK_MS,
  LATE_MS,
  REFUND_FAILS_MS,
} from '../faults.ts'
import { CALLBACK_DELAY_MS } from './callbacks.ts'
import { sumOfRefunds } from './order.ts'
import { VOIDABLE_MS } from './writes.ts'

const MINUTE_MS = 60_000

const kassa = await openKassa()
const { ctx, clock } = kassa
const {
  shop,
  open,
  pay,
  later,
  aWhileLater,
  ask,
  refund,
  status,
  path,
  payment,
  entry,
  operations,
  expectReconciled,
  callbacks,
  referenceOf,
  writeAtBank,
} = await setBankScene(kassa)

describe('a callback of the bank', () => {
  test('updates a payment whose buyer closed the tab before a scheduled question does', async () => {
    const order = await open()
    await fetch(order.providerCheckoutUrl)
    const form = {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'paid' }),
      redirect: 'manual',
    } as const
    await fetch(order.providerCheckoutUrl.split('?')[0] ?? '', form)
    await SWEEPS.bankCallbacks(ctx)
    expect(await status(order.id)).toBe('pending_redirect')
    clock.advance(CALLBACK_DELAY_MS)
    await SWEEPS.bankCallbacks(ctx)
    expect(await status(order.id)).toBe('paid')
  })

  test('pending settles', async () => {
    const id = await pay(undefined, { outcome: 'pending' })
    expect(await status(id)).toBe('pending_payment')
    clock.advance(2 * CALLBACK_DELAY_MS + 5_000)
    await SWEEPS.bankCallbacks(ctx)
    await SWEEPS.bankCallbacks(ctx)
    expect(await status(id)).toBe('paid')
  })

  test('late_paid: declined first, paid later', async () => {
    for (const outcome of ['paid', 'declined']) {
      const id = await pay('late_paid', { outcome })
      expect(await status(id)).toBe('pending_payment')
      await later(LATE_MS + CALLBACK_DELAY_MS)
      expect(await path(id)).toEqual(['pending_payment', 'paid'])
    }
  })

  test('late_paid: an order that the bank does not end at the expiry is asked about, and is paid later', async () => {
    const order = await open({ fault: 'late_paid' })
    await fetch(order.providerCheckoutUrl)
    await later(90 * MINUTE_MS + 1_000)
    expect(await status(order.id)).toBe('pending_payment')
    await later(LATE_MS + CALLBACK_DELAY_MS)
    expect((await path(order.id)).slice(-2)).toEqual(['pending_payment', 'paid'])
  })

  test('duplicate_callback: three at once make one change', async () => {
    const id = await pay('duplicate_callback')
    await aWhileLater()
    expect(await path(id)).toEqual(['paid'])
    expect((await callbacks(id)).map(({ statusCode }) => statusCode)).toEqual([200, 200, 200])
  })

  test('reversed_callbacks: the later one arrives first, and the earlier one changes nothing', async () => {
    const id = await pay('reversed_callbacks', { provider: 'route_b' })
    await ask(id, 'capture', {})
    await later()
    await later(CALLBACK_DELAY_MS)
    expect(await status(id)).toBe('paid')
    expect(await callbacks(id)).toMatchObject([{ attempts: 0 }, { statusCode: 200 }])
    await later(HELD_BACK_MS)
    expect(await callbacks(id)).toMatchObject([{ statusCode: 200 }, { statusCode: 200 }])
    expect(await path(id)).toEqual(['authorized', 'paid'])
  })

  test('refund_fails_later: the refund is pending, then failed, and the amount can be refunded again', async () => {
    const id = await pay('refund_fails_later')
    await refund(id, 500)
    await later()
    expect([(await operations(id))[0]?.status, (await payment(id)).refundReservedMinor]).toEqual([
      'processing',
      500,
    ])
    await later(REFUND_FAILS_MS)
    await aWhileLater()
    expect([(await operations(id))[0]?.status, (await payment(id)).refundReservedMinor]).toEqual([
      'failed',
      0,
    ])
    expect(await status(id)).toBe('paid')
  })

  test('refund_fails_after_success: the payment is refunded, then paid again, and the refund is failed', async () => {
    const id = await pay('refund_fails_after_success')
    await refund(id, 1900)
    await later(CALLBACK_DELAY_MS)
    expect([await status(id), (await operations(id))[0]?.status]).toEqual(['refunded', 'succeeded'])
    await later(REFUND_FAILS_MS + CALLBACK_DELAY_MS)
    expect(await path(id)).toEqual(['paid', 'refunded', 'paid'])
    const [refunded] = await operations(id)
    expect([refunded?.status, refunded?.revertedAt]).toEqual(['failed', expect.any(Date)])
    expect(refunded?.statusReason).toContain('failed after all')
    await expectReconciled(id)
  })

  test.each(['route_a', 'route_b'])(
    'underpaid on %s: status_unknown, and a warning for an operator',
    async (provider) => {
      const id = await pay('underpaid', { provider })
      await aWhileLater()
      expect(await path(id)).toEqual(['status_unknown'])
      const warnings = await listPaymentWarnings(ctx.db, shop.merchantId, id)
      expect(warnings.map(({ detail }) => detail)).toEqual([expect.stringContaining('950 of 1900')])
    },
  )

  test('expires_early: the bank closes its page after a minute, long before the payment expires', async () => {
    const order = await open({ fault: 'expires_early' })
    await fetch(order.providerCheckoutUrl)
    await later(EARLY_MS - 1_000)
    expect(await (await fetch(order.providerCheckoutUrl)).text()).toContain('name="outcome"')
    await later(2_000)
    expect(await (await fetch(order.providerCheckoutUrl)).text()).not.toContain('name="outcome"')
    await payAtBank(order.providerCheckoutUrl, 'paid')
    expect(await entry(order.id)).toMatchObject({ lapsed: true, outcome: null, capturedMinor: 0 })
    expect((await payment(order.id)).expiresAt.getTime()).toBeGreaterThan(clock.now().getTime())
  })

  test('expires_early: a buyer who is quick pays as always', async () => {
    const id = await pay('expires_early')
    await later(EARLY_MS + CALLBACK_DELAY_MS)
    expect(await path(id)).toEqual(['paid'])
  })

  test.each([
    ['dispute_won', ['paid', 'disputed', 'paid']],
    ['dispute_lost', ['paid', 'disputed', 'reversed']],
    ['dispute_part_lost', ['paid', 'disputed', 'partially_refunded']],
  ] as const)('%s: %j', async (fault, steps) => {
    const id = await pay(fault)
    await later(DISPUTE_OPENS_MS + CALLBACK_DELAY_MS)
    expect(await status(id)).toBe('disputed')
    expect((await refund(id, 1000)).status).toBe(409)
    await later(DISPUTE_LASTS_MS + CALLBACK_DELAY_MS)
    expect(await path(id)).toEqual(steps)
    await expectReconciled(id)
  })

  test('dispute_part_lost: the rest can be refunded during the dispute and after it', async () => {
    const id = await pay('dispute_part_lost')
    await later(DISPUTE_OPENS_MS + CALLBACK_DELAY_MS)
    expect((await refund(id, 951)).status).toBe(409)
    expect((await refund(id, 400)).status).toBe(201)
    await later(CALLBACK_DELAY_MS)
    expect(await payment(id)).toMatchObject({ status: 'disputed', refundedMinor: 400 })
    await later(DISPUTE_LASTS_MS)
    expect(await payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 1350 })
    expect((await refund(id, 551)).status).toBe(409)
    expect((await refund(id, 550)).status).toBe(201)
    await later(CALLBACK_DELAY_MS)
    expect(await payment(id)).toMatchObject({ status: 'refunded', refundedMinor: 1900 })
    await expectReconciled(id)
  })

  test('a refund that somebody makes at the bank during ours does not count as ours', async () => {
    const id = await pay()
    const { body } = await refund(id, 1000)
    const { write } = ctx.sandbox.bank
    ctx.sandbox.bank.write = async (at, name, given) => {
      ctx.sandbox.bank.write = write
      expect(await writeAtBank(id, 'refund', 1000)).toBe('done')
      return write(at, name, given)
    }
    await later()
    expect((await operations(id)).map((each) => [each.id, each.status])).toEqual([
      [body.operation.id, 'failed'],
    ])
    await aWhileLater()
    expect(await payment(id)).toMatchObject({
      status: 'partially_refunded',
      refundedMinor: 1000,
      refundReservedMinor: 0,
    })
  })

  test('a refund that the bank made on its own changes the payment', async () => {
    const id = await pay()
    await writeAtBank(id, 'refund', 400)
    await later(CALLBACK_DELAY_MS)
    expect(await payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 400 })
  })

  test('is sent three times, and then no more', async () => {
    const id = await pay()
    await ctx.db.query('update sandbox.sandbox_callbacks set url = $2 where reference = $1', [
      await referenceOf(id),
      `${kassa.url}/nowhere`,
    ])
    await aWhileLater()
    expect(await callbacks(id)).toEqual([{ attempts: 3, statusCode: 404 }])
  })
})

describe('the bank’s own limits', () => {
  test('a write acts each time that it is sent, up to the captured amount', async () => {
    const id = await pay()
    expect([await writeAtBank(id, 'refund', 700), await writeAtBank(id, 'refund', 700)]).toEqual([
      'done',
      'done',
    ])
    expect(await writeAtBank(id, 'refund', 700)).toBe('refused')
    expect(sumOfRefunds(await entry(id), 'done')).toBe(1400)
  })

  test('fifty concurrent refunds return no more than was captured', async () => {
    const id = await pay()
    const results = await Promise.all(Array.from({ length: 50 }, () => writeAtBank(id, 'refund', 100)))
    expect(results.filter((result) => result === 'done')).toHaveLength(19)
  })

  test('a capture is made once, up to the authorized amount', async () => {
    const id = await pay(undefined, { provider: 'route_b' })
    expect(await writeAtBank(id, 'capture', 1901)).toBe('refused')
    expect(await writeAtBank(id, 'capture', 1000)).toBe('done')
    expect(await writeAtBank(id, 'capture', 900)).toBe('refused')
  })

  test('a payment can be voided for a day after its capture, unless a part is refunded', async () => {
    const [soon, late, part] = [await pay(), await pay(), await pay()]
    await writeAtBank(part, 'refund', 100)
    expect([await writeAtBank(soon, 'void'), await writeAtBank(soon, 'void')]).toEqual(['done', 'refused'])
    expect(await writeAtBank(part, 'void')).toBe('refused')
    clock.advance(VOIDABLE_MS + 1_000)
    expect(await writeAtBank(late, 'void')).toBe('refused')
  })
})
