/** The buyer has finished, and the provider is still working on the payment: when it is asked, and what it may answer meanwhile. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { LookUpResult } from '../providers/driver.ts'
import { DUE_QUESTIONS } from '../storage/payments/due-accounts.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { createLink, createSession, linkRequest, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { type Script, scriptRoute } from '../testing/providers/scripted-driver.ts'
import { SWEEPS } from '../worker/sweeps.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** `hoursAtOnce`: the clock moves by so much before the due questions are asked. */
export function testUnderWay({ hoursAtOnce }: { hoursAtOnce: number }): void {
  let kassa: Kassa
  let shop: Shop
  let script: Script
  let orders = 0
  beforeAll(async () => {
    kassa = await startKassa()
    shop = await openShop(kassa.ctx)
  })
  beforeEach(async () => {
    script = scriptRoute(kassa.ctx)
    // Else each test would ask about the payments of those before it.
    await kassa.ctx.db.query('update sandbox.attempts set question_due_at = null')
  })
  afterAll(() => kassa.close())

  const underWay = (truth: LookUpResult): LookUpResult =>
    truth.kind === 'found'
      ? { ...truth, snapshot: { ...truth.snapshot, order: 'reached', isUnderWay: true } }
      : truth
  const paid = (truth: LookUpResult): LookUpResult => {
    if (truth.kind !== 'found') return truth
    const { amountMinor } = truth.snapshot
    const money = { authorizedMinor: amountMinor, capturedMinor: amountMinor }
    return { ...truth, snapshot: { ...truth.snapshot, order: 'completed', ...money } }
  }
  const declined = (truth: LookUpResult): LookUpResult =>
    truth.kind === 'found' ? { ...truth, snapshot: { ...truth.snapshot, order: 'declined' } } : truth
  const status = async (id: string) => (await findPaymentById(kassa.ctx.db, id))?.status

  async function open(): Promise<string> {
    const key = `under-way-${++orders}`
    script.lookUp = underWay
    return (await createSession(kassa.url, shop, { key, body: sessionRequest({ merchantOrderId: key }) }))
      .body.id
  }

  async function passDays(days: number): Promise<void> {
    for (let hours = days * 24; hours > 0; hours -= hoursAtOnce) {
      kassa.clock.advance(Math.min(hours, hoursAtOnce) * HOUR_MS)
      await SWEEPS.statusSync(kassa.ctx)
    }
  }

  test('a payment on which the provider works for 20 days never expires, also while it cannot be asked, and is then paid', async () => {
    const id = await open()
    await passDays(10)
    script.lookUp = () => ({ kind: 'unavailable', message: 'the bank is away' })
    await passDays(2)
    script.lookUp = underWay
    await passDays(8)
    expect(await status(id)).toBe('pending_payment')
    script.lookUp = paid
    await passDays(2)
    expect(await status(id)).toBe('paid')
  })

  test('a payment on which the provider works for more than 30 days is left to a person, once and in plain words', async () => {
    const id = await open()
    await passDays(29)
    expect(await status(id)).toBe('pending_payment')
    await passDays(3)
    expect(await status(id)).toBe('status_unknown')
    await passDays(5)
    expect(await status(id)).toBe('status_unknown')
    const { rows } = await kassa.ctx.db.query(
      'select to_status as to, detail from sandbox.payment_changes where payment_id = $1 order by version',
      [id],
    )
    expect(rows.map(({ to }) => to)).toEqual(['pending_redirect', 'pending_payment', 'status_unknown'])
    expect(rows.at(-1)?.detail).toBe('the provider has not decided after 30 days')
  })

  test('a payment on which the provider works is left to a person after 30 days, also if nobody answers any more', async () => {
    const id = await open()
    await passDays(1)
    script.lookUp = () => ({ kind: 'unavailable', message: 'the bank is away' })
    await passDays(28)
    expect(await status(id)).toBe('pending_payment')
    await passDays(3)
    expect(await status(id)).toBe('status_unknown')
  })

  test('an order that the provider does not find while it works is not taken for one without money', async () => {
    const id = await open()
    await passDays(0.5)
    script.lookUp = () => ({ kind: 'not_found' })
    await passDays(5)
    expect(await status(id)).toBe('pending_payment')
    script.lookUp = paid
    await passDays(2)
    expect(await status(id)).toBe('paid')
  })

  /** Moves the clock from one due question to the next. Returns how many questions were asked about the payment. */
  async function run(id: string, ms: number): Promise<number> {
    const reference = (await findPaymentById(kassa.ctx.db, id))?.attempt.reference
    const count = () => script.calls.filter((each) => each === `look-up ${reference}`).length
    const [before, end] = [count(), kassa.clock.now().getTime() + ms]
    for (let turn = 0; turn < 500; turn++) {
      const next = (await DUE_QUESTIONS.next(kassa.ctx.db))?.getTime() ?? end
      kassa.clock.advance(Math.max(0, Math.min(next, end) - kassa.clock.now().getTime()) + 1)
      if (next >= end) break
      await SWEEPS.statusSync(kassa.ctx)
    }
    return count() - before
  }

  test('the provider is asked hourly for a day, then daily, also about a link that expires much later', async () => {
    const expiresAt = new Date(kassa.clock.now().getTime() + 80 * DAY_MS).toISOString()
    const body = linkRequest({ providerRoute: 'route_a', expiresAt })
    const id = (await createLink(kassa.url, shop, { key: 'long-link', body })).body.payment.id
    script.lookUp = underWay
    await fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
    await run(id, 40 * 60_000)
    expect(await run(id, 10 * HOUR_MS)).toBe(10)
    await run(id, 14 * HOUR_MS)
    expect(await run(id, 10 * DAY_MS)).toBe(10)
    await run(id, 18 * DAY_MS)
    expect(await status(id)).toBe('pending_payment')
    await run(id, 2 * DAY_MS)
    expect(await status(id)).toBe('status_unknown')
  })

  test('the provider works on the first order while the second is open: the first decides, and the second is withdrawn', async () => {
    const withdrawn: string[] = []
    script = scriptRoute(kassa.ctx, {
      async withdraw(_call, { reference }) {
        withdrawn.push(reference)
        return { kind: 'done' }
      },
    })
    const answers = new Map<string, (truth: LookUpResult) => LookUpResult>()
    script.lookUp = (truth) =>
      (truth.kind === 'found' && answers.get(truth.snapshot.reference)?.(truth)) || truth
    const key = 'two-orders'
    const body = sessionRequest({ merchantOrderId: key })
    const id = (await createSession(kassa.url, shop, { key, body })).body.id
    const press = () => fetch(`${kassa.url}/checkout/${id}/continue`, { method: 'POST', redirect: 'manual' })
    const first = (await findPaymentById(kassa.ctx.db, id))?.attempt.reference ?? ''
    answers.set(first, declined)
    expect((await press()).headers.get('location')).toContain('bank.example')
    const second = (await findPaymentById(kassa.ctx.db, id))?.attempt.reference ?? ''
    expect(second).not.toBe(first)
    answers.set(first, underWay)
    await run(id, 2 * 60_000)
    expect(await findPaymentById(kassa.ctx.db, id)).toMatchObject({
      ownAttempt: 1,
      status: 'pending_payment',
    })
    expect([...new Set(withdrawn)]).toEqual([second])
    expect((await press()).headers.get('location')).toBe(`${kassa.url}/checkout/${id}`)
    await run(id, DAY_MS)
    expect(await status(id)).toBe('pending_payment')
    expect(script.orders.size).toBe(2)
    answers.set(first, paid)
    await run(id, 25 * HOUR_MS)
    expect(await findPaymentById(kassa.ctx.db, id)).toMatchObject({ ownAttempt: 1, status: 'paid' })
  })
}
