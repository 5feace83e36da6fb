/** One command tells all that happened to a payment, in order: from our pages, the worker, the provider and the operators. */
import { expect, test } from 'vitest'
import { insertPaymentWarning } from '../../storage/payments/payment-warnings.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { openShop } from '../../testing/harness.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { startReceiver } from '../../testing/receiver.ts'
import { closeAfter, openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { settleWarnings } from '../desk/desk.ts'
import type { StoryFact } from './facts.ts'

const kassa = await openKassa({ worker: true })
const receiver = closeAfter(await startReceiver(() => 200))
const shop = await openShop(kassa.ctx, { callbackUrl: receiver.url })

const open = async () => kassa.ctx
async function log(id: string, ...more: string[]): Promise<StoryFact[]> {
  const words = ['payment', 'log', '--payment', id, ...more]
  return (await operateJson({}, words, (_settings, all) => operateHere(open, all))).answer.facts
}

async function countRefunds(id: string): Promise<number> {
  await SWEEPS.moneyOperations(kassa.ctx)
  return (await log(id)).filter(({ kind, to }) => kind === 'operation' && to === 'succeeded').length
}

test('each source of facts has its lines, in the order of time', async () => {
  const { body: session } = await createSession(kassa.url, shop, {
    key: 'told',
    body: sessionRequest({ merchantOrderId: 'told' }),
  })
  const { id } = session
  await payAtBank(session.providerCheckoutUrl, 'paid')
  await expect.poll(async () => (await lookUp(kassa.url, shop, id)).body.status).toBe('paid')
  const asked = await askOperation(kassa.url, shop, id, 'refunds', {
    key: 'b',
    body: { amountMinor: 500, reason: 'broken' },
  })
  expect(asked.status).toBe(201)
  await expect.poll(() => countRefunds(id)).toBe(1)
  const refund = ['payment', 'refund', '--payment', id, '--amount', '1.00', '--why', 'broken']
  expect(await operateHere(open, refund)).toMatchObject({ code: 0 })
  await expect.poll(() => countRefunds(id)).toBe(2)
  await insertPaymentWarning(kassa.ctx.db, {
    merchantId: shop.merchantId,
    paymentId: id,
    detail: 'odd',
    createdAt: kassa.clock.now(),
  })
  await settleWarnings(kassa.ctx, id, { by: 'Ani', why: 'seen' })
  await kassa.ctx.exchangeLog.flush()
  await expect
    .poll(async () => new Set((await log(id)).map(({ kind }) => kind)))
    .toEqual(
      new Set([
        'payment',
        'attempt',
        'request to provider',
        'entry',
        'operation',
        'receipt',
        'event',
        'delivery',
        'warning',
        'audit',
      ]),
    )
  const facts = await log(id)
  const times = facts.map(({ at }) => new Date(at).getTime())
  expect(times).toEqual(times.toSorted((one, other) => one - other))
  expect(facts[0]).toMatchObject({ kind: 'payment', to: 'created' })
  const changes = facts.filter(({ kind, from }) => kind === 'payment' && from !== null)
  expect(changes.map(({ to }) => to)).toEqual(expect.arrayContaining(['paid', 'partially_refunded']))
  expect(facts).toContainEqual(expect.objectContaining({ kind: 'operation', by: 'tester', to: 'queued' }))
  expect(facts).toContainEqual(
    expect.objectContaining({ kind: 'warning', to: 'settled', by: 'Ani', detail: 'seen' }),
  )
  expect(await log(id, '--limit', '3')).toHaveLength(3)
  const { stdout } = await operateHere(open, ['payment', 'log', '--payment', id])
  // The worker may have added facts meanwhile.
  expect(stdout.trimEnd().split('\n').length).toBeGreaterThan(facts.length)
})
