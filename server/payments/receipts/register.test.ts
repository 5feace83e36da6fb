/** A register that fails, is away, or whose answers are lost. */
import { beforeEach, describe, expect, test } from 'vitest'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openKassa } from '../../testing/scene.ts'
import { RETRY_WAITS_MS, SETTLE_MS } from './verdict.ts'

const kassa = await openKassa()
const { print, fiscalStatus, receipts, setRegisterFault, pay, retry, printed, printAfter, operation } =
  await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

describe('a register', () => {
  test('whose answer is lost after it printed is asked, and does not print again', async () => {
    setRegisterFault('answer_lost')
    const id = await pay()
    await print()
    expect((await receipts(id))[0]).toMatchObject({ status: 'printing' })
    expect(await fiscalStatus(id)).toBe('pending')
    await printAfter(RETRY_WAITS_MS[0] ?? 0)
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('that cannot be asked needs an operator’s decision after a lost answer', async () => {
    setRegisterFault('answer_lost', { lookUpReceipt: undefined } as never)
    const id = await pay()
    await print()
    expect(await fiscalStatus(id)).toBe('correction_required')
    const { body } = await retry(id)
    await print()
    expect((await operation(body.operation.id)).status).toBe('requires_operator_review')
    await printAfter(RETRY_WAITS_MS[0] ?? 0)
    expect((await printed(id)).length).toBe(1)
    const [sale] = await receipts(id)
    const answer = await operateHere(
      async () => kassa.ctx,
      [
        'receipt',
        'resolve',
        '--receipt',
        sale?.id ?? '',
        '--as',
        'issued',
        '--number',
        'paper-77',
        '--why',
        'on the roll',
      ],
    )
    expect(answer.stdout).toContain('paper-77')
    expect([await fiscalStatus(id), await operation(body.operation.id)]).toMatchObject([
      'issued',
      { status: 'succeeded', provider_operation_id: 'paper-77' },
    ])
  })

  test('that is away is tried again with growing waits, and after the last one the receipt fails', async () => {
    setRegisterFault('away')
    const id = await pay()
    await print()
    for (const [index, waitMs] of RETRY_WAITS_MS.entries()) {
      expect([index, (await receipts(id))[0]?.status]).toEqual([index, 'waiting'])
      await printAfter(waitMs - 1_000)
      expect((await receipts(id))[0]?.attempts).toBe(index + 1)
      await printAfter(1_000)
    }
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['failed', 0])
  })

  test('that loses the connection while printing is asked again for a while before "not printed" counts', async () => {
    setRegisterFault(undefined, { issueReceipt: () => Promise.reject(new Error('the connection was reset')) })
    const id = await pay()
    await print()
    setRegisterFault(undefined)
    await printAfter(RETRY_WAITS_MS[0] ?? 0)
    expect((await receipts(id))[0]).toMatchObject({ status: 'printing', statusReason: 'not printed yet' })
    await printAfter(SETTLE_MS)
    await printAfter(RETRY_WAITS_MS[3] ?? 0)
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })

  test('that never answers the question makes the payment correction_required in the end', async () => {
    setRegisterFault('answer_lost', { lookUpReceipt: async () => ({ kind: 'unavailable', message: 'away' }) })
    const id = await pay()
    await print()
    for (const waitMs of [...RETRY_WAITS_MS, 86_400_000]) await printAfter(waitMs)
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['correction_required', 1])
    setRegisterFault(undefined)
    await retry(id)
    await print()
    expect([await fiscalStatus(id), (await printed(id)).length]).toEqual(['issued', 1])
  })
})
