/** Who waits for a question that is under way, and payments of which is learned late. */
import { describe, expect, test } from 'vitest'
import { setBankScene } from '../../testing/providers/bank-scene.ts'
import { openKassa } from '../../testing/scene.ts'
import { runSharedQuestion, waitForResult } from './in-flight.ts'

const kassa = await openKassa()
const scene = await setBankScene(kassa)

describe('a question that is under way', () => {
  /** Somebody asks about `name` until `answer` is called. */
  function ask(name: string) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const result = runSharedQuestion(kassa.ctx, name, () => promise)
    return { result, answer: resolve }
  }

  let reads = 0
  const waiting = (name: string, isDecided = () => false) => ({
    name,
    isDecided,
    reread: async () => `read ${++reads}`,
  })
  const wait = (name: string, isDecided?: () => boolean) =>
    waitForResult(kassa.ctx, 'seen', waiting(name, isDecided))

  test('nobody waits while nobody asks', async () => {
    expect(await wait('nobody')).toBe('seen')
  })

  test('the wait ends with the question, also with one that fails', async () => {
    const { result, answer } = ask('one')
    const waited = wait('one')
    answer()
    await result
    expect(await waited).toMatch(/^read/)
    const failing = runSharedQuestion(kassa.ctx, 'one', () => Promise.reject(new Error('gone')))
    expect(await wait('one')).toMatch(/^read/)
    await expect(failing).rejects.toThrow('gone')
    expect(await wait('one')).toBe('seen')
  })

  test('the wait ends although the question goes on: at the result, and after some steps without one', async () => {
    const { result, answer } = ask('endless')
    expect(await wait('endless', () => true)).toBe('seen')
    reads = 0
    expect(await wait('endless')).toBe('read 5')
    answer()
    await result
  })

  test('at most eight wait for one payment and 200 in all, and the others are answered at once', async () => {
    const asking = Array.from({ length: 30 }, (_, name) => ask(`crowd ${name}`))
    const waited = asking.flatMap((_, name) => Array.from({ length: 20 }, () => wait(`crowd ${name}`)))
    const atOnce = await Promise.all(waited.map((each) => Promise.race([each, Promise.resolve('waits')])))
    expect(atOnce.filter((each) => each === 'waits')).toHaveLength(200)
    for (const { answer } of asking) answer()
    await Promise.all([...asking.map(({ result }) => result), ...waited])
  })
})

describe('what is learned late', () => {
  const AMOUNT = 1_900
  const MINUTE = 60_000

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
})
