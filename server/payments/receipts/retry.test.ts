import { beforeEach, describe, expect, test } from 'vitest'
import { createSession } from '../../testing/calls.ts'
import { openFiscalShop } from '../../testing/payments/fiscal-shop.ts'
import { openKassa } from '../../testing/scene.ts'

const kassa = await openKassa()
const { shop, newKey, print, fiscalStatus, setRegisterFault, pay, retry, printed, operation } =
  await openFiscalShop(kassa)
beforeEach(() => setRegisterFault(undefined))

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
