/** A refund fails after its receipt was made: the receipt is cancelled, or has to be corrected. */
import { beforeEach, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { applyStatus } from '../transition.ts'

const kassa = await openKassa()
const { ctx } = kassa
const { shop, print, stored, fiscalStatus, receipts, setRegisterFault, pay, refund, retry, printed } =
  await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

/** The provider says that only this much was returned after all. */
async function returned(id: string, refundedMinor: number) {
  const at = await stored(id)
  const { authorizedMinor, capturedMinor } = at
  const to = refundedMinor === 0 ? 'paid' : 'partially_refunded'
  const money = { authorizedMinor, capturedMinor, refundedMinor }
  const { outcome } = await applyStatus(ctx, at, { to, cause: 'provider', money })
  expect(outcome).toBe('changed')
}
const statuses = async (id: string) => (await receipts(id)).slice(1).map(({ status }) => status)
const operate = (...args: string[]) => operateHere(async () => ctx, args)

test('a receipt that is not printed yet is cancelled, and never printed', async () => {
  const id = await pay()
  await refund(id, 1900)
  await returned(id, 0)
  await print()
  await print()
  expect([await fiscalStatus(id), await statuses(id)]).toEqual(['issued', ['cancelled']])
  expect(await printed(id)).toMatchObject([{ amountMinor: 1900 }])
})

test('a receipt that failed is cancelled too, so that a retry cannot print it', async () => {
  const id = await pay()
  await print()
  await refund(id, 500)
  setRegisterFault('refuses')
  await print()
  expect(await fiscalStatus(id)).toBe('correction_required')
  await returned(id, 0)
  expect([await fiscalStatus(id), await statuses(id)]).toEqual(['issued', ['cancelled']])
  expect((await retry(id)).body.error.code).toBe('receipt_already_issued')
})

test.each([
  [1900, 0],
  [1900, 500],
])(
  'a receipt of %i that was printed makes the payment correction_required when %i were returned after all, and an operator reads why',
  async (amount, left) => {
    const id = await pay()
    await refund(id, amount)
    await print()
    await print()
    expect(await fiscalStatus(id)).toBe('refunded')
    await returned(id, left)
    expect(await fiscalStatus(id)).toBe('correction_required')
    const warnings = await listPaymentWarnings(ctx.db, shop.merchantId, id)
    expect(warnings.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining(`${amount - left} more`),
    )
  },
)

test('a new refund of the same amount uses the receipt that was printed, and nothing is to be corrected', async () => {
  const id = await pay('route_a', { metadata: { sandboxFault: 'refund_fails_after_success' } })
  await refund(id, 500)
  await print()
  await print()
  kassa.clock.advance(25_000)
  await SWEEPS.bankCallbacks(ctx)
  expect([(await stored(id)).status, await fiscalStatus(id)]).toEqual(['paid', 'correction_required'])
  await refund(id, 500)
  await print()
  expect([await fiscalStatus(id), await statuses(id)]).toEqual(['partially_refunded', ['issued']])
})

test('an operator who has corrected the receipt at the register cancels it, and what is missing is printed', async () => {
  const id = await pay()
  await refund(id, 900)
  await print()
  await print()
  await returned(id, 500)
  const receipt = (await receipts(id))[1]?.id ?? ''
  const act = ['receipt', 'resolve', '--receipt', receipt, '--as', 'cancelled', '--why', 'corrected by 77']
  expect((await operate(...act)).code).toBe(0)
  await print()
  expect([await fiscalStatus(id), await statuses(id)]).toEqual([
    'partially_refunded',
    ['cancelled', 'issued'],
  ])
  expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 900, 500])
  const again = await operate(...act)
  expect([again.code === 0, again.stderr]).toEqual([false, expect.stringContaining('cancelled')])
})

test('a printed receipt of money that was returned cannot be cancelled', async () => {
  const id = await pay()
  await refund(id, 500)
  await print()
  await print()
  const receipt = (await receipts(id))[1]?.id ?? ''
  expect((await operate('receipt', 'resolve', '--receipt', receipt, '--as', 'cancelled')).code).not.toBe(0)
  expect(await fiscalStatus(id)).toBe('partially_refunded')
})

test('money that comes back after a reversal makes the receipt of the reversal one to correct', async () => {
  const id = await pay()
  await print()
  const at = await stored(id)
  await applyStatus(ctx, at, { to: 'reversed', cause: 'provider' })
  await print()
  expect(await fiscalStatus(id)).toBe('refunded')
  await applyStatus(ctx, at, { to: 'paid', cause: 'provider' })
  expect(await fiscalStatus(id)).toBe('correction_required')
})
