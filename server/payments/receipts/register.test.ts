/** A register that fails, is away, or whose answers are lost; printing again; and receipts of refunds that fail later. */
import { beforeEach, describe, expect, test } from 'vitest'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { createSession } from '../../testing/calls.ts'
import { operateHere } from '../../testing/operator.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { applyStatus } from '../transition.ts'
import { RETRY_WAITS_MS, SETTLE_MS } from './verdict.ts'

const kassa = await openKassa()
const {
  print,
  fiscalStatus,
  receipts,
  setRegisterFault,
  pay,
  retry,
  printed,
  printAfter,
  operation,
  shop,
  newKey,
  stored,
  refund,
} = await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

/** A refund fails after its receipt was made: the receipt is cancelled, or has to be corrected. */
describe('a refund that fails after its receipt was made', () => {
  const { ctx } = kassa

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
})

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
    setRegisterFault('answer_lost', { lookUpReceipt: undefined })
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

describe('POST /v1/fiscal-receipts/{paymentId}/retry', () => {
  const once = { metadata: { sandboxFault: 'receipt_fails_once' } }

  test('prints the failed receipt: it returns 201, and then 200 under the same key', async () => {
    const id = await pay('route_a', once)
    await print()
    expect(await fiscalStatus(id)).toBe('failed')
    const first = await retry(id, 'again')
    expect([first.status, first.body]).toMatchObject([
      201,
      {
        ok: true,
        created: true,
        payment: { id, fiscalStatus: 'pending' },
        operation: { type: 'fiscal_retry', status: 'processing', paymentSessionId: id },
      },
    ])
    await print()
    const again = await retry(id, 'again')
    expect([again.status, again.headers.get('x-idempotent-replay'), again.body]).toMatchObject([
      200,
      'true',
      { created: false, operation: { status: 'succeeded' }, payment: { fiscalStatus: 'issued' } },
    ])
    expect((await printed(id)).length).toBe(1)
  })

  test('that fails again ends its operation, and another key may retry again', async () => {
    setRegisterFault('refuses')
    const id = await pay()
    await print()
    const { body } = await retry(id)
    await print()
    expect([await fiscalStatus(id), await operation(body.operation.id)]).toMatchObject([
      'failed',
      { status: 'failed', status_reason: '196: the register is not active' },
    ])
    expect((await retry(id)).status).toBe(201)
  })

  test('is done once if it is requested ten times at once', async () => {
    const id = await pay('route_a', once)
    await print()
    const answers = await Promise.all(Array.from({ length: 10 }, () => retry(id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)])
    await print()
    expect((await printed(id)).length).toBe(1)
  })

  test('is rejected while the receipt has not failed, after it is issued, and where no receipt is needed', async () => {
    const open = await createSession(kassa.url, shop, { key: newKey() })
    const codes: [string, number, string][] = []
    const ask = async (name: string, id: string) => {
      const { status, body } = await retry(id)
      codes.push([name, status, body.error.code])
    }
    await ask('unpaid', open.body.id)
    const id = await pay()
    await ask('pending', id)
    await print()
    await ask('issued', id)
    kassa.ctx.routes.route_a.fiscal = null
    const without = await pay()
    await ask('no register', without)
    setRegisterFault(undefined)
    await ask('not required', without)
    await ask('route_c', await pay('route_c'))
    await ask('route_d', await pay('route_d'))
    await ask('nobody', 'pay_0')
    expect(codes).toEqual([
      ['unpaid', 409, 'payment_not_eligible'],
      ['pending', 409, 'payment_not_eligible'],
      ['issued', 409, 'receipt_already_issued'],
      ['no register', 409, 'operation_disabled'],
      ['not required', 409, 'fiscalization_disabled'],
      ['route_c', 409, 'operation_disabled'],
      ['route_d', 501, 'operation_not_configured'],
      ['nobody', 404, 'payment_not_found'],
    ])
  })
})
