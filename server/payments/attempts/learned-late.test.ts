import { expect, test } from 'vitest'
import { setBankScene } from '../../testing/providers/bank-scene.ts'
import { openKassa } from '../../testing/scene.ts'

const AMOUNT = 1_900
const MINUTE = 60_000

const kassa = await openKassa()
const scene = await setBankScene(kassa)

/** The buyer pays and does not come back, and no callback is sent. Returns the payment's id. */
async function payUnseen(fault?: 'dispute_part_lost'): Promise<string> {
  const { id, providerCheckoutUrl } = await scene.open(fault && { fault })
  const page = await fetch(providerCheckoutUrl)
  const form = new URLSearchParams({ outcome: 'paid' })
  await fetch(page.url.split('?')[0] ?? '', { method: 'POST', body: form, redirect: 'manual' })
  await kassa.ctx.db.query('delete from sandbox.sandbox_callbacks')
  expect(await scene.status(id)).toBe('pending_redirect')
  return id
}

const eventsOf = async (id: string) => {
  const { rows } = await kassa.ctx.db.query(
    `select status, (body::jsonb #>> '{payment,refundedMinor}')::int as refunded from sandbox.events where payment_id = $1 order by sequence`,
    [id],
  )
  return rows
}

for (const [amountMinor, status] of [
  [500, 'partially_refunded'],
  [AMOUNT, 'refunded'],
] as const)
  test(`a payment of which we hear only after ${amountMinor} of it went back was paid before`, async () => {
    const id = await payUnseen()
    expect(await scene.writeAtBank(id, 'refund', amountMinor)).toBe('done')
    await scene.later(91 * MINUTE)
    expect(await scene.payment(id)).toMatchObject({
      status,
      capturedMinor: AMOUNT,
      refundedMinor: amountMinor,
    })
    expect(await eventsOf(id)).toEqual([
      { status: 'paid', refunded: 0 },
      { status, refunded: amountMinor },
    ])
  })

test('the same of a dispute that was lost before anybody asked', async () => {
  const id = await payUnseen('dispute_part_lost')
  await kassa.ctx.db.query('delete from sandbox.sandbox_callbacks')
  kassa.clock.advance(30_000)
  await scene.entry(id)
  await kassa.ctx.db.query('delete from sandbox.sandbox_callbacks')
  await scene.later(91 * MINUTE)
  expect(await scene.payment(id)).toMatchObject({
    status: 'partially_refunded',
    capturedMinor: AMOUNT,
    refundedMinor: AMOUNT / 2,
  })
  await scene.expectReconciled(id)
})
