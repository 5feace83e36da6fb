/** What a token may return: of one payment and in a day, by every call and at the same moment. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { addUser, changeUser, removeUser } from '../access/users.ts'
import { systemClock } from '../context.ts'
import { issueToken, revokeToken, rotateToken } from '../merchants/api-key.ts'
import { type LimitChanges, setTokenLimits } from '../merchants/token-limits.ts'
import { actOnMoney } from '../operator/acts/money.ts'
import { getCase } from '../operator/desk/case.ts'
import { countDesk, listDesk, settleRefusal } from '../operator/desk/desk.ts'
import { applyOperationIn } from '../payments/operation-change.ts'
import { storeLimit } from '../storage/audit/proposals.ts'
import { inTransaction } from '../storage/db.ts'
import { listPaymentOperations, type OperationRecord } from '../storage/payments/operations.ts'
import { findRefundRefusal } from '../storage/returns/refund-refusals.ts'
import { askOperation, createSession, payAtBank, sessionRequest } from '../testing/calls.ts'
import type { Shop } from '../testing/harness.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const DAY_MS = 24 * 3_600_000

const { kassa, shop } = await openScene()
let count = 0
const amounts = new Map<string, number>()
beforeEach(() => {
  kassa.clock.advance(DAY_MS)
})

async function person(limits: LimitChanges = {}) {
  const name = `Person ${++count}`
  const email = `person-${count}@pay.example`
  return (await addUser(kassa.ctx, { name, email, role: 'administrator', ...limits })).operator
}

/** A caller with a token of its own. */
async function caller(more: Partial<Parameters<typeof issueToken>[1]> = {}) {
  const { token, tokenId } = await issueToken(kassa.ctx, { merchantId: shop.merchantId, ...more })
  return { ...shop, token, tokenId }
}

async function pay(amountMinor: number, { provider = 'route_a', currency = 'USD' } = {}): Promise<string> {
  const key = `limits-${++count}`
  const body = sessionRequest({ merchantOrderId: key, amountMinor, provider, currency })
  const { body: session } = await createSession(kassa.url, shop, { key, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  amounts.set(session.id, amountMinor)
  return session.id
}

type Call = { amountMinor?: number; key?: string; act?: 'refunds' | 'capture' | 'void' }
async function ask(
  by: Shop,
  id: string,
  { amountMinor = amounts.get(id), key = `key-${++count}`, act = 'refunds' }: Call = {},
) {
  const body = { reason: 'sent back', ...(act !== 'void' && { amountMinor }) }
  return askOperation(kassa.url, by, id, act, { key, body })
}
/** The statuses of refunds of these amounts, each of another payment. */
async function refundEach(by: Shop, amounts: number[]) {
  const statuses = []
  for (const amountMinor of amounts) statuses.push((await ask(by, await pay(amountMinor))).status)
  return statuses
}
const operationsOf = (id: string) => listPaymentOperations(kassa.ctx.db, shop.merchantId, id)
const work = () => SWEEPS.moneyOperations(kassa.ctx)

describe('a token with limits', () => {
  const LIMITS = { refundLimits: { USD: 1_000 }, refundLimitsDay: { USD: 2_500 } }

  test('returns up to the limit of one payment, also in parts', async () => {
    const by = await caller(LIMITS)
    const id = await pay(5_000)
    const over = await ask(by, id, { amountMinor: 1_001 })
    expect(over).toMatchObject({
      status: 409,
      body: { error: { code: 'refund_limit_reached', operation: { status: 'blocked', amountMinor: 1_001 } } },
    })
    expect(over.body.error.hint).toContain('10.00 USD')
    expect((await ask(by, id, { amountMinor: 600 })).status).toBe(201)
    const second = await ask(by, id, { amountMinor: 600 })
    expect([second.status, second.body.error.hint]).toEqual([409, expect.stringContaining('4.00 USD')])
    expect((await ask(by, id, { amountMinor: 400 })).status).toBe(201)
  })

  test('returns up to the limit of the day, which ends at midnight of the shop', async () => {
    const by = await caller(LIMITS)
    expect(await refundEach(by, [1_000, 1_000, 600, 500, 1])).toEqual([201, 201, 409, 201, 409])
    kassa.clock.advance(DAY_MS)
    expect(await refundEach(by, [1_000])).toEqual([201])
  })

  test('returns only the currencies that its limits name', async () => {
    const by = await caller(LIMITS)
    const id = await pay(100, { currency: 'EUR' })
    const refused = await ask(by, id)
    expect([refused.status, refused.body.error.hint]).toEqual([409, expect.stringContaining('0.00 EUR')])
  })

  test('releases money within the same limits', async () => {
    const by = await caller(LIMITS)
    const held = await pay(1_500, { provider: 'route_b' })
    expect((await ask(by, held, { act: 'void' })).body.error?.code).toBe('refund_limit_reached')
    // To take a small part releases the rest.
    const part = await ask(by, held, { act: 'capture', amountMinor: 100 })
    expect(part.body.error?.code).toBe('refund_limit_reached')
    expect((await ask(by, held, { act: 'capture', amountMinor: 600 })).status).toBe(201)
    const other = await pay(1_000, { provider: 'route_b' })
    expect((await ask(by, other, { act: 'void' })).status).toBe(201)
    expect(await refundEach(by, [601, 600])).toEqual([409, 201])
  })

  test('is never refused a replay, and the refused key works another day', async () => {
    const by = await caller(LIMITS)
    const id = await pay(1_000)
    const first = await ask(by, id, { key: 'replayed' })
    expect(await refundEach(by, [1_000, 500])).toEqual([201, 201])
    const again = await ask(by, id, { key: 'replayed' })
    expect([again.status, again.body.operation.id]).toEqual([200, first.body.operation.id])
    const late = await pay(700)
    const refused = await ask(by, late, { key: 'late' })
    expect(refused.status).toBe(409)
    kassa.clock.advance(DAY_MS)
    const accepted = await ask(by, late, { key: 'late' })
    expect([accepted.status, accepted.body.operation.id]).toEqual([201, refused.body.error.operation.id])
    expect(accepted.body.operation).toMatchObject({ status: 'queued' })
    expect((await ask(by, late, { key: 'late' })).status).toBe(200)
  })

  test('gets the refused key through once its limit is raised', async () => {
    const by = await caller(LIMITS)
    const id = await pay(3_000)
    expect((await ask(by, id, { key: 'raised' })).status).toBe(409)
    const raised = { refundLimits: { USD: 3_000 }, refundLimitsDay: { USD: 3_000 } }
    await setTokenLimits(kassa.ctx, { tokenId: by.tokenId, doer: { id: null }, ...raised })
    expect((await ask(by, id, { key: 'raised' })).status).toBe(201)
  })

  test('has what failed back, and not what waits for a person', async () => {
    const by = await caller(LIMITS)
    const ids = [await pay(1_000), await pay(1_000), await pay(500)]
    for (const id of ids) expect((await ask(by, id)).status).toBe(201)
    const [failing] = await operationsOf(ids[0] ?? '')
    const become = (to: 'processing' | 'requires_operator_review' | 'failed') =>
      inTransaction(kassa.ctx.db, (tx) =>
        applyOperationIn(kassa.ctx, tx, failing as OperationRecord, { to, cause: 'provider', dueAt: null }),
      )
    for (const to of ['processing', 'requires_operator_review'] as const) await become(to)
    expect(await refundEach(by, [1])).toEqual([409])
    await become('failed')
    expect(await refundEach(by, [1_000, 1])).toEqual([201, 409])
  })

  test('returns no more at the same moment', async () => {
    const by = await caller(LIMITS)
    const ids = await Promise.all(Array.from({ length: 10 }, () => pay(400)))
    const all = await Promise.all(ids.map((id) => ask(by, id)))
    expect(all.filter(({ status }) => status === 201)).toHaveLength(6)
    expect(all.filter(({ status }) => status === 409)).toHaveLength(4)
    const one = await pay(5_000)
    kassa.clock.advance(DAY_MS)
    const parts = await Promise.all(Array.from({ length: 6 }, () => ask(by, one, { amountMinor: 300 })))
    expect(parts.filter(({ status }) => status === 201)).toHaveLength(3)
  })

  test('is one case on the desk, however many calls are refused', async () => {
    const by = await caller(LIMITS)
    const before = (await countDesk(kassa.ctx, null)).find(({ kind }) => kind === 'refund_limit')?.count ?? 0
    for (const amountMinor of [2_000, 3_000]) await ask(by, await pay(amountMinor))
    await ask(by, await pay(1_001))
    const listed = async () =>
      (await listDesk(kassa.ctx, { kind: 'refund_limit', limit: 100 })).cases.filter(
        ({ subject }) => subject === by.tokenId,
      )
    expect(await listed()).toEqual([
      expect.objectContaining({ amountMinor: 1_001, currency: 'USD', what: '3 calls were refused' }),
    ])
    const name = {
      kind: 'refund_limit',
      subject: by.tokenId,
      accountId: null,
      merchantId: shop.merchantId,
    } as const
    expect(await getCase(kassa.ctx, name)).toMatchObject({ advice: 'look_at_token', choices: ['settled'] })
    await settleRefusal(kassa.ctx, by.tokenId, { by: 'Ani', why: 'a whole order' })
    expect(await listed()).toEqual([])
    await ask(by, await pay(1_001))
    expect(await listed()).toEqual([expect.objectContaining({ what: '1 calls were refused' })])
    const after = (await countDesk(kassa.ctx, null)).find(({ kind }) => kind === 'refund_limit')?.count
    expect(after).toBe(before + 1)
    const limits = (USD: number) =>
      setTokenLimits(kassa.ctx, {
        tokenId: by.tokenId,
        doer: { id: null },
        refundLimits: { USD },
        refundLimitsDay: { USD: 2_500 },
      })
    await limits(900)
    expect(await listed()).toHaveLength(1)
    await limits(1_001)
    expect(await listed()).toEqual([])
    await ask(by, await pay(1_002))
    expect(await listed()).toEqual([expect.objectContaining({ what: '1 calls were refused' })])
  })

  test('is no case any more once it is revoked, or was replaced and has ended', async () => {
    const named = async ({ tokenId }: { tokenId: string }) =>
      getCase(kassa.ctx, { kind: 'refund_limit', subject: tokenId, accountId: null, merchantId: null }).catch(
        ({ code }) => code,
      )
    const [revoked, leaked, replaced] = [await caller(LIMITS), await caller(LIMITS), await caller(LIMITS)]
    for (const by of [revoked, leaked, replaced]) {
      await ask(by, await pay(1_001))
      expect(await named(by)).toMatchObject({ advice: 'look_at_token' })
    }
    const ani = await person()
    await revokeToken(kassa.ctx, revoked.tokenId, ani)
    await revokeToken(kassa.ctx, leaked.token)
    await rotateToken(kassa.ctx, replaced.tokenId, '24h')
    expect([await named(revoked), await named(leaked)]).toEqual(['not_found', 'not_found'])
    expect(await named(replaced)).toMatchObject({ advice: 'look_at_token' })
    await kassa.ctx.db.query('update sandbox.api_keys set expires_at = $2 where id = $1', [
      replaced.tokenId,
      new Date(systemClock.now().getTime() - 1),
    ])
    expect(await named(replaced)).toBe('not_found')
    expect(await findRefundRefusal(kassa.ctx.db, revoked.tokenId)).toMatchObject({
      settledBy: ani.name,
      settledWhy: 'The token was revoked.',
    })
  })
})

describe('the person who has issued a token', () => {
  test('shares the sum of the day with all of the tokens', async () => {
    const ani = await person({ refundLimits: { USD: 1_000 }, refundLimitsDay: { USD: 1_500 } })
    const [one, two] = [await caller({ doer: ani }), await caller({ doer: ani })]
    expect(await refundEach(one, [1_000])).toEqual([201])
    expect(await refundEach(two, [501, 300])).toEqual([409, 201])
    const by = { id: ani.id, tokenId: null, isAlone: true }
    const own = async (amountMinor: number) =>
      actOnMoney(kassa.ctx, 'refund', { paymentId: await pay(amountMinor), why: 'x' }, 'Ani', by)
    await expect(own(201)).rejects.toMatchObject({ code: 'refund_limit_reached' })
    expect(await own(200)).toMatchObject({ created: true })
    expect(await refundEach(one, [1])).toEqual([409])
  })

  test('holds the sum by both doors at the same moment', async () => {
    const ani = await person({ refundLimits: { USD: 1_000 } })
    const token = await caller({ doer: ani })
    const by = { id: ani.id, tokenId: null, isAlone: true }
    const ids = await Promise.all(Array.from({ length: 10 }, () => pay(300)))
    const all = await Promise.allSettled(
      ids.map(async (paymentId, at) => {
        if (at % 2 === 0) await actOnMoney(kassa.ctx, 'refund', { paymentId, why: 'x' }, 'Ani', by)
        else expect(await ask(token, paymentId)).toMatchObject({ status: 201 })
      }),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
  })

  test('lowers the tokens at once, and does not raise them', async () => {
    const ani = await person({ refundLimits: { USD: 1_000 } })
    const token = await caller({ doer: ani })
    await changeUser(kassa.ctx, ani.id, { refundLimits: { USD: 5_000 } })
    expect(await refundEach(token, [1_001])).toEqual([409])
    await changeUser(kassa.ctx, ani.id, { refundLimits: { USD: 300 } })
    expect(await refundEach(token, [301, 300])).toEqual([409, 201])
  })

  test('leaves the tokens together bounded when removed', async () => {
    const ani = await person({ refundLimits: { USD: 1_000 } })
    const [one, two] = [await caller({ doer: ani }), await caller({ doer: ani })]
    await removeUser(kassa.ctx, ani.id)
    expect(await refundEach(one, [700])).toEqual([201])
    expect(await refundEach(two, [301, 300])).toEqual([409, 201])
  })
})

describe('while a second person is needed from 10.00 USD on', () => {
  beforeAll(() => storeLimit(kassa.ctx.db, 'USD', 1_000))
  afterAll(() => storeLimit(kassa.ctx.db, 'USD', null))

  test.each([
    ['the host', async () => undefined],
    ['a person without limits', async () => person()],
  ])('a token of %s returns no more than that alone', async (_, issuerOf) => {
    const doer = await issuerOf()
    const one = await caller({ doer })
    expect(await refundEach(one, [1_001, 700])).toEqual([409, 201])
    const two = await caller({ doer })
    expect(await refundEach(two, [301, 300])).toEqual([409, 201])
    expect((await ask(two, await pay(500, { currency: 'EUR' }))).status).toBe(201)
  })

  test('a token that a second person has approved returns more', async () => {
    const doer = { ...(await person()), isApproved: true }
    const by = await caller({ doer, refundLimits: { USD: 5_000 } })
    expect(await refundEach(by, [5_000, 1])).toEqual([201, 409])
  })

  test('a token of an earlier version keeps no limit', async () => {
    const by = await caller()
    await kassa.ctx.db.query('update sandbox.api_keys set issued_by = null where id = $1', [by.tokenId])
    expect(await refundEach(by, [5_000, 5_000])).toEqual([201, 201])
  })
})

test('what the service returns by itself counts for nobody', async () => {
  const { rows } = await kassa.ctx.db.query(
    "select count(*)::int as count from sandbox.operations where cause = 'service' and counted is not null",
  )
  expect(rows).toEqual([{ count: 0 }])
  await work()
})
