/** An order that a provider has not opened as far as we know: its answer is lost, or it refuses for good. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { Refusal } from '../../providers/driver/refusal.ts'
import type { LookUpResult } from '../../providers/driver.ts'
import { beginPlannedAttempt, listAttempts, takeAttemptLease } from '../../storage/payments/attempt-orders.ts'
import { type AttemptedPayment, withAttempt } from '../../storage/payments/payment.ts'
import { listPayments } from '../../storage/search/list.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type Script, scriptRoute } from '../../testing/providers/scripted-driver.ts'
import { openScene } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { claimKey, type KeyClaim, type Plan } from '../idempotency.ts'
import { release } from './lease.ts'

const { kassa, shop, getPayment } = await openScene()
let script: Script
beforeEach(() => {
  script = scriptRoute(kassa.ctx)
})
const create = (key: string, change: object = {}) =>
  createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key, ...change }) })
const opened = () => [...script.orders.values()]

/** The answer to the opening of an order is lost, and the bank is away for a while: its order can still be paid, and stays the only one. */
describe('an answer that is lost', () => {
  let orders = 0

  const away = (): LookUpResult => ({ kind: 'unavailable', message: 'the bank is away' })
  const asPending = (truth: LookUpResult): LookUpResult =>
    truth.kind === 'found' ? { ...truth, snapshot: { ...truth.snapshot, order: 'reached' } } : truth

  /** Opens an order whose answer is lost, at a bank that is then away for 90 seconds. Returns the key and the payment's id. */
  async function loseAnswer(): Promise<{ key: string; id: string }> {
    const key = `lost-answer-${++orders}`
    script.lookUp = away
    script.starts = [
      (open) => {
        open()
        return { kind: 'unknown', message: 'the answer was lost' }
      },
    ]
    expect((await create(key)).status).toBe(503)
    kassa.clock.advance(90_000)
    const { rows } = await kassa.ctx.db.query(
      'select payment_id from sandbox.idempotency_keys where key = $1',
      [key],
    )
    script.lookUp = asPending
    return { key, id: rows[0].payment_id }
  }
  async function click(id: string): Promise<string | null> {
    const answer = await fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
    await answer.text()
    return answer.headers.get('location')
  }

  test('a retry with the key gets the address of the order that the bank has', async () => {
    const { key, id } = await loseAnswer()
    expect(await getPayment(id)).toMatchObject({ status: 'created', attempt: { state: 'opening' } })
    const retry = await create(key)
    expect([retry.status, retry.body.id, retry.body.providerCheckoutUrl]).toEqual([
      expect.toBeOneOf([200, 201]),
      id,
      expect.stringContaining('https://bank.example/pay/'),
    ])
    expect(opened()).toEqual([1])
  })

  test('the worker finds the address if nobody retries, and a later retry is a replay with it', async () => {
    const { key, id } = await loseAnswer()
    await SWEEPS.statusSync(kassa.ctx)
    expect(await getPayment(id)).toMatchObject({ status: 'pending_redirect', attempt: { state: 'open' } })
    const retry = await create(key)
    expect([retry.status, retry.body.providerCheckoutUrl]).toEqual([
      200,
      expect.stringContaining('bank.example'),
    ])
    expect(opened()).toEqual([1])
  })

  test('a click opens it, and clicks at once open one order', async () => {
    const { id } = await loseAnswer()
    const places = await Promise.all([click(id), click(id), click(id)])
    expect(new Set(places)).toEqual(new Set([expect.stringContaining('https://bank.example/pay/')]))
    expect(opened()).toEqual([1])
  })

  test('an opening is taken over when its lease ends, and not before; a planned one begins once', async () => {
    const { id } = await loseAnswer()
    const now = kassa.ctx.clock.now()
    const end = new Date(now.getTime() + 60_000)
    const { attempt } = await getPayment(id)
    const takeAt = (at: number) => takeAttemptLease(kassa.ctx.db, attempt, { now: new Date(at), until: end })
    expect(await takeAt(now.getTime())).toBe(true)
    expect([await takeAt(end.getTime() - 1), await takeAt(end.getTime())]).toEqual([false, true])
    const again = { ...attempt, leaseUntil: end, questionDueAt: null }
    expect(await beginPlannedAttempt(kassa.ctx.db, attempt, again, now)).toBe(false)
  })

  test('a process whose lease has ended does not end the lease of the process that opens the order now', async () => {
    const { id } = await loseAnswer()
    const now = kassa.ctx.clock.now()
    const [ended, current] = [new Date(now.getTime() - 1), new Date(now.getTime() + 60_000)]
    const payment = await getPayment(id)
    expect(await takeAttemptLease(kassa.ctx.db, payment.attempt, { now, until: current })).toBe(true)
    await release(kassa.ctx, withAttempt(payment, { leaseUntil: ended }), { isRefused: true })
    expect((await getPayment(id)).attempt).toMatchObject({ state: 'opening', leaseUntil: current })
  })

  test('while the bank is away again, a retry and a click say so, and the order is found later', async () => {
    const { key, id } = await loseAnswer()
    script.lookUp = away
    await SWEEPS.statusSync(kassa.ctx)
    expect((await create(key)).status).toBe(503)
    expect(await click(id)).toContain(`/checkout/${id}`)
    script.lookUp = asPending
    expect(await click(id)).toContain('https://bank.example/pay/')
    expect((await create(key)).body.providerCheckoutUrl).toContain('https://bank.example/pay/')
    expect(opened()).toEqual([1])
  })

  test('a click on a payment whose creation is not finished is answered, and opens nothing', async () => {
    const { id } = await loseAnswer()
    script.lookUp = away
    expect(await getPayment(id)).toMatchObject({ status: 'created' })
    expect(await click(id)).toContain(`/checkout/${id}`)
    expect(opened()).toEqual([1])
  })
})

/** A provider refuses for good to open an order: the payment waits, and its key later leads to another attempt of it. */
describe('a provider that refuses', () => {
  const DAY_MS = 24 * 3_600_000
  let keys = 0

  const paymentsOf = (key: string) =>
    listPayments(kassa.ctx.db, { merchantId: shop.merchantId, merchantOrderId: key, limit: 10 })
  const states = async (payment: AttemptedPayment | undefined) =>
    payment && (await listAttempts(kassa.ctx.db, payment)).map(({ state }) => state)

  /** Creates a payment whose order the provider refuses. Returns its key. */
  async function refuse(refusal: Refusal): Promise<string> {
    const key = `refused-${++keys}`
    script.starts = [() => ({ kind: 'refused', refusal, message: 'no' })]
    expect((await create(key)).status).toBe(refusal === 'amount' ? 422 : 503)
    return key
  }

  test.each(['credentials', 'rights', 'account', 'amount', 'request'] as const)(
    'after a refusal because of %s the payment stays created, and the same key opens another order of it',
    async (refusal) => {
      const key = await refuse(refusal)
      const [payment] = await paymentsOf(key)
      expect([payment?.status, await states(payment)]).toEqual(['created', ['refused']])
      const again = await create(key)
      expect([again.status, again.body.id, again.body.status]).toEqual([201, payment?.id, 'pending_redirect'])
      expect(await states(payment)).toEqual(['refused', 'open'])
      expect((await create(key)).body.providerCheckoutUrl).toBe(again.body.providerCheckoutUrl)
      expect(opened()).toEqual([1])
    },
  )

  test('retries at once after a refusal open one order', async () => {
    const key = await refuse('credentials')
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(key)))
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(opened()).toEqual([1])
  })

  test('a refused order is not asked about, and expires without the provider', async () => {
    const key = await refuse('credentials')
    const [payment] = await paymentsOf(key)
    kassa.clock.advance(DAY_MS)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await paymentsOf(key)).map(({ status }) => status)).toEqual(['expired'])
    expect(script.calls).not.toContain(`look-up ${payment?.attempt.reference}`)
  })

  test('once it has expired without an order, its key makes a new payment', async () => {
    const key = await refuse('credentials')
    kassa.clock.advance(DAY_MS)
    await SWEEPS.statusSync(kassa.ctx)
    expect((await create(key)).status).toBe(201)
    expect((await paymentsOf(key)).map(({ status }) => status)).toEqual(['pending_redirect', 'expired'])
  })

  test('the caller may mend the request that was refused, and send it with the same key', async () => {
    const key = await refuse('amount')
    const mended = await create(key, { amountMinor: 2_000 })
    expect([mended.status, mended.body.amountMinor]).toEqual([201, 2_000])
    expect((await paymentsOf(key)).map(({ status }) => status)).toEqual(['pending_redirect', 'failed'])
    // From now on there is an order, so the key belongs to this content.
    expect((await create(key)).body.error.code).toBe('idempotency_key_reused')
    expect(opened()).toEqual([1])
  })

  test('two different requests at once after a refusal leave one payable order', async () => {
    const key = await refuse('amount')
    const answers = await Promise.all([create(key), create(key, { amountMinor: 2_000 })])
    const payable = (await paymentsOf(key)).filter(({ status }) => status === 'pending_redirect')
    expect([payable.length, opened()]).toEqual([1, [1]])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  test('the key belongs to its content if one of the orders was not refused', async () => {
    const key = await refuse('amount')
    script.starts = [() => ({ kind: 'refused', refusal: 'amount', message: 'no' })]
    expect((await create(key)).status).toBe(422)
    const [payment] = await paymentsOf(key)
    expect([payment?.status, await states(payment)]).toEqual(['created', ['refused', 'refused']])
    await kassa.ctx.db.query(
      "update sandbox.attempts set state = 'declined' where payment_id = $1 and number = 1",
      [payment?.id],
    )
    expect((await create(key, { amountMinor: 2_000 })).body.error.code).toBe('idempotency_key_reused')
    expect(await paymentsOf(key)).toHaveLength(1)
  })

  test('a key makes no new payment if its payment gets an order in the same moment', async () => {
    const key = await refuse('amount')
    const [payment] = await paymentsOf(key)
    if (!payment) throw new Error('there is no payment')
    const { rows } = await kassa.ctx.db.query<Pick<KeyClaim, 'merchantId' | 'scope' | 'key'>>(
      'select merchant_id as "merchantId", scope, key from sandbox.idempotency_keys where payment_id = $1',
      [payment.id],
    )
    const [address] = rows
    if (!address) throw new Error('there is no key')
    // The second use of the key is planned after it was seen that the key is free.
    const plan: Plan = async (use) => {
      if (use > 1)
        await kassa.ctx.db.query("update sandbox.attempts set state = 'open' where payment_id = $1", [
          payment.id,
        ])
      return payment
    }
    const claim: KeyClaim = { ...address, fingerprint: 'other', isReleased: () => false }
    await expect(claimKey(kassa.ctx, claim, plan)).rejects.toMatchObject({ code: 'idempotency_key_reused' })
    expect(await paymentsOf(key)).toHaveLength(1)
  })
})
