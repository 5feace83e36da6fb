/** Fiscal receipts, from the payment to the receipts that the register has printed. */
import { beforeEach, describe, expect, test } from 'vitest'
import { listPaymentEvents } from '../../storage/events/events.ts'
import { listReceiptChanges } from '../../storage/payments/receipt-changes.ts'
import { askOperation } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { startWorker } from '../../worker/worker.ts'
import { applyStatus } from '../transition.ts'

const kassa = await openKassa()
const {
  shop,
  newKey,
  print,
  stored,
  fiscalStatus,
  receipts,
  setRegisterFault,
  pay,
  refund,
  retry,
  printed,
  operation,
} = await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

describe('a sale', () => {
  test('makes the fiscalStatus pending with the same event as paid, and then its receipt is issued', async () => {
    const id = await pay()
    const paid = (await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)).at(-1)
    expect(JSON.parse(paid?.body ?? '').payment).toMatchObject({ status: 'paid', fiscalStatus: 'pending' })
    const before = await stored(id)
    kassa.clock.advance(1_000)
    await print()
    const after = await stored(id)
    expect(after).toMatchObject({ fiscalStatus: 'issued', status: 'paid', version: before.version })
    expect(after.updatedAt.getTime()).toBeGreaterThan(before.updatedAt.getTime())
    expect(await listPaymentEvents(kassa.ctx.db, shop.merchantId, id)).toHaveLength(before.version - 1)
    expect(await printed(id)).toMatchObject([{ amountMinor: 1900 }])
    const history = await listReceiptChanges(kassa.ctx.db, shop.merchantId, id)
    expect(history.map(({ toStatus }) => toStatus)).toEqual(['waiting', 'printing', 'issued'])
  })

  test('that is captured in part has a receipt for that part', async () => {
    const id = await pay('route_b')
    expect(await receipts(id)).toEqual([])
    await askOperation(kassa.url, shop, id, 'capture', { key: newKey(), body: { amountMinor: 1200 } })
    await SWEEPS.moneyOperations(kassa.ctx)
    await print()
    expect(await fiscalStatus(id)).toBe('issued')
    expect(await printed(id)).toMatchObject([{ amountMinor: 1200 }])
  })

  test.each(['route_c', 'route_d'] as const)('on %s needs no receipt', async (route) => {
    const id = await pay(route)
    await print()
    expect([await fiscalStatus(id), await receipts(id)]).toEqual(['not_required', []])
  })

  test('that is paid again after a won dispute has no second receipt', async () => {
    const id = await pay()
    await print()
    const at = await stored(id)
    for (const to of ['disputed', 'paid', 'disputed', 'paid'] as const)
      expect((await applyStatus(kassa.ctx, at, { to, cause: 'provider' })).outcome).toBe('changed')
    await print()
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('gets the next number of the register', async () => {
    const ids = await Promise.all([pay(), pay(), pay()])
    await print()
    const numbers = (await Promise.all(ids.map(receipts)))
      .map(([sale]) => Number(sale?.number))
      .sort((a, b) => a - b)
    expect(numbers.map((number) => number - (numbers[0] ?? 0))).toEqual([0, 1, 2])
  })
})

describe('a refund', () => {
  test('has a receipt of its own that names the sale’s number', async () => {
    const id = await pay()
    await print()
    await refund(id, 500)
    expect(await fiscalStatus(id)).toBe('issued')
    await print()
    expect(await fiscalStatus(id)).toBe('partially_refunded')
    await refund(id, 1400)
    await print()
    expect(await fiscalStatus(id)).toBe('refunded')
    const number = (await receipts(id))[0]?.number
    expect(await printed(id)).toMatchObject([
      { amountMinor: 1900 },
      { amountMinor: 500, saleNumber: number },
      { amountMinor: 1400, saleNumber: number },
    ])
  })

  test('that is made before the sale’s receipt is printed has its receipt printed after that', async () => {
    const id = await pay()
    await refund(id, 500)
    expect((await receipts(id)).map(({ kind, dueAt }) => [kind, dueAt === null])).toEqual([
      ['sale', false],
      ['refund', true],
    ])
    await print()
    expect(await fiscalStatus(id)).toBe('partially_refunded')
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 500])
  })

  test('through a lost dispute has a receipt for the rest of the sale', async () => {
    const id = await pay()
    await refund(id, 500)
    const at = await stored(id)
    await applyStatus(kassa.ctx, at, { to: 'disputed', cause: 'provider' })
    await applyStatus(kassa.ctx, at, { to: 'reversed', cause: 'provider' })
    await print()
    expect(await fiscalStatus(id)).toBe('refunded')
    expect((await printed(id)).map(({ amountMinor }) => amountMinor)).toEqual([1900, 500, 1400])
  })

  test('whose receipt the register refuses makes the payment correction_required, until a retry prints it', async () => {
    const id = await pay()
    await print()
    await refund(id, 500)
    setRegisterFault('refuses')
    await print()
    expect(await fiscalStatus(id)).toBe('correction_required')
    setRegisterFault(undefined)
    const { body } = await retry(id)
    await print()
    expect([await fiscalStatus(id), (await operation(body.operation.id)).status]).toEqual([
      'partially_refunded',
      'succeeded',
    ])
  })
})

test('a worker prints a receipt without a request', async () => {
  const worker = await startWorker(kassa.ctx)
  const id = await pay()
  await expect.poll(() => fiscalStatus(id)).toBe('issued')
  await worker.stop()
})

test('an operator sees each receipt with its history', async () => {
  const id = await pay('route_a', { metadata: { sandboxFault: 'receipt_fails_once' } })
  await print()
  await retry(id)
  await print()
  const [sale] = await receipts(id)
  const { stdout } = await operateHere(async () => kassa.ctx, ['payment', 'show', '--payment', id])
  for (const text of ['Receipts', 'sale 19.00 USD', '196: the register is not active', `No. ${sale?.number}`])
    expect(stdout).toContain(text)
})
