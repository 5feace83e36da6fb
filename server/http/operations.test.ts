/** Refund, capture and void over the API: every status of the contract, on routes a to d. */
import { describe, expect, test } from 'vitest'
import { OperationErrorResponse } from '../contract/failure.ts'
import type { ProviderRoute } from '../contract/fields.ts'
import { OperationResponse } from '../contract/operation.ts'
import { askOperation, createSession, lookUp } from '../testing/calls.ts'
import { payOn } from '../testing/scene/endpoint.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const { kassa, shop } = await openScene()
let keys = 0

type What = 'refunds' | 'capture' | 'void'
const VALID: Record<What, object> = {
  refunds: { amountMinor: 500, reason: 'Broken cup' },
  capture: { amountMinor: 1900 },
  void: { reason: 'Changed mind' },
}
const ask = (id: string, what: What, body: unknown = VALID[what], key = `op-${++keys}`) =>
  askOperation(kassa.url, shop, id, what, { key, body })
const work = () => SWEEPS.moneyOperations(kassa.ctx)
const statusOf = async (id: string) => (await lookUp(kassa.url, shop, id)).body.status

describe('on a route where everything is enabled', () => {
  test('a paid payment is refunded in parts, and more than the rest is rejected', async () => {
    const id = await payOn(kassa, shop, 'route_a')
    const { status, body } = await ask(id, 'refunds')
    expect(status).toBe(201)
    expect(OperationResponse.parse(body)).toMatchObject({
      ok: true,
      created: true,
      operation: { status: 'queued', type: 'refund', amountMinor: 500 },
      payment: { id, status: 'paid' },
    })
    await work()
    expect(await statusOf(id)).toBe('partially_refunded')
    const tooMuch = await ask(id, 'refunds', { amountMinor: 1500, reason: 'r' })
    expect([tooMuch.status, tooMuch.body.error.code]).toEqual([409, 'payment_not_eligible'])
    expect((await ask(id, 'refunds', { amountMinor: 1400, reason: 'r' })).status).toBe(201)
    await work()
    expect(await statusOf(id)).toBe('refunded')
  })

  test('an authorized payment is captured, or voided', async () => {
    const [captured, voided] = [await payOn(kassa, shop, 'route_b'), await payOn(kassa, shop, 'route_b')]
    expect([(await ask(captured, 'capture')).status, (await ask(voided, 'void')).status]).toEqual([201, 201])
    await work()
    expect([await statusOf(captured), await statusOf(voided)]).toEqual(['paid', 'reversed'])
  })

  test('a paid payment is voided before it is settled', async () => {
    const id = await payOn(kassa, shop, 'route_a')
    expect((await ask(id, 'void')).status).toBe(201)
    await work()
    expect(await statusOf(id)).toBe('reversed')
  })

  test('a replay returns 200 with the current operation and payment', async () => {
    const id = await payOn(kassa, shop, 'route_a')
    const first = await ask(id, 'refunds', VALID.refunds, 'same')
    await work()
    const again = await ask(id, 'refunds', VALID.refunds, 'same')
    expect([again.status, again.headers.get('x-idempotent-replay')]).toEqual([200, 'true'])
    expect(again.body).toMatchObject({
      created: false,
      operation: { id: first.body.operation.id, status: 'succeeded' },
      payment: { status: 'partially_refunded' },
    })
    const other = await ask(id, 'refunds', { amountMinor: 400, reason: 'r' }, 'same')
    expect([other.status, other.body.error.code]).toEqual([422, 'idempotency_key_reused'])
  })

  test('fifty equal requests at once make one operation', async () => {
    const id = await payOn(kassa, shop, 'route_a')
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => ask(id, 'refunds', VALID.refunds, 'twin')),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
    expect(new Set(answers.map(({ body }) => body.operation.id)).size).toBe(1)
    await work()
    expect((await lookUp(kassa.url, shop, id)).body.status).toBe('partially_refunded')
  })

  test('a key applies only to its payment and kind of operation', async () => {
    const [left, right] = [await payOn(kassa, shop, 'route_a'), await payOn(kassa, shop, 'route_a')]
    const answers = [
      await ask(left, 'refunds', undefined, 'mine'),
      await ask(right, 'refunds', undefined, 'mine'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
  })
})

describe('a rejected operation', () => {
  test.each<[ProviderRoute, What, number, string, string]>([
    ['route_c', 'refunds', 409, 'operation_disabled', 'blocked'],
    ['route_c', 'capture', 409, 'operation_disabled', 'blocked'],
    ['route_c', 'void', 409, 'operation_disabled', 'blocked'],
    ['route_d', 'refunds', 501, 'operation_not_configured', 'requires_provider_contract'],
    ['route_d', 'capture', 501, 'operation_not_configured', 'requires_provider_contract'],
    ['route_d', 'void', 501, 'operation_not_configured', 'requires_provider_contract'],
  ])('%s, %s: %i %s, with its record', async (route, what, status, code, recorded) => {
    const id = await payOn(kassa, shop, route)
    const first = await ask(id, what, undefined, `${route}-${what}`)
    expect(first.status).toBe(status)
    expect(OperationErrorResponse.parse(first.body).error).toMatchObject({
      code,
      operation: { status: recorded, paymentSessionId: id },
    })
    const again = await ask(id, what, undefined, `${route}-${what}`)
    expect([again.status, again.body.error.operation.id]).toEqual([status, first.body.error.operation.id])
    expect(await statusOf(id)).toBe('paid')
  })

  test('a key whose call was blocked works once the route allows it, with the same record', async () => {
    const id = await payOn(kassa, shop, 'route_c')
    const blocked = await ask(id, 'refunds', undefined, 'later')
    const { settings } = kassa.ctx.routes.route_c
    kassa.ctx.routes.route_c.settings = { ...settings, OPERATIONS: 'enabled' }
    try {
      const queued = await ask(id, 'refunds', undefined, 'later')
      expect([queued.status, queued.body.operation.id]).toEqual([201, blocked.body.error.operation.id])
      await work()
      expect(await statusOf(id)).toBe('partially_refunded')
    } finally {
      kassa.ctx.routes.route_c.settings = settings
    }
  })

  test('a key whose call was not eligible can be used again', async () => {
    const { body } = await createSession(kassa.url, shop, { key: 'unpaid' })
    const early = await ask(body.id, 'refunds', undefined, 'early')
    expect([early.status, early.body.error.code, early.body.error.operation]).toEqual([
      409,
      'payment_not_eligible',
      undefined,
    ])
  })

  test.each<[string, What, unknown, string]>([
    ['no amount', 'refunds', { reason: 'r' }, 'amountMinor'],
    ['an amount of 0', 'refunds', { amountMinor: 0, reason: 'r' }, 'amountMinor'],
    ['a fraction', 'refunds', { amountMinor: 1.5, reason: 'r' }, 'amountMinor'],
    ['more than was paid', 'refunds', { amountMinor: 1901, reason: 'r' }, 'amountMinor'],
    ['another currency', 'refunds', { amountMinor: 1, currency: 'EUR', reason: 'r' }, 'currency'],
    ['no reason', 'refunds', { amountMinor: 1 }, 'reason'],
    ['an empty reason', 'refunds', { amountMinor: 1, reason: '' }, 'reason'],
    ['a reason of 241', 'refunds', { amountMinor: 1, reason: 'r'.repeat(241) }, 'reason'],
    ['an unknown property', 'refunds', { amountMinor: 1, reason: 'r', force: true }, 'force'],
    ['more than is held', 'capture', { amountMinor: 1901 }, 'amountMinor'],
    ['a reason of 241', 'capture', { reason: 'r'.repeat(241) }, 'reason'],
    ['another currency', 'capture', { currency: 'AMD' }, 'currency'],
    ['no reason', 'void', {}, 'reason'],
    ['an amount', 'void', { reason: 'r', amountMinor: 1 }, 'amountMinor'],
    ['a reason of 241', 'void', { reason: 'r'.repeat(241) }, 'reason'],
  ])('%s (%s)', async (_, what, body, field) => {
    const id = await payOn(kassa, shop, what === 'refunds' ? 'route_a' : 'route_b')
    const answer = await ask(id, what, body)
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, [field]])
  })

  test('an id of 121 characters, and an unknown id', async () => {
    const long = await ask('p'.repeat(121), 'refunds')
    expect([long.status, Object.keys(long.body.errors)]).toEqual([422, ['paymentId']])
    const unknown = await ask('p'.repeat(120), 'refunds')
    expect([unknown.status, unknown.body.error.code]).toEqual([404, 'payment_not_found'])
  })

  test('a reason of 240 characters is accepted', async () => {
    const id = await payOn(kassa, shop, 'route_a')
    expect((await ask(id, 'refunds', { amountMinor: 1, reason: 'ռ'.repeat(240) })).status).toBe(201)
  })
})
