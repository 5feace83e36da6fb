/** Questions about payments whose money has moved: they keep to the account's budget, and no other question waits for them. */
import { beforeEach, expect, test } from 'vitest'
import { askAboutPayment } from '../payments/attempts/question.ts'
import { measureOpenWork } from '../storage/open-work.ts'
import { DUE_SETTLED_QUESTIONS } from '../storage/payments/due-accounts.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { type Script, scriptRoute } from '../testing/providers/scripted-driver.ts'
import { openScene } from '../testing/scene.ts'
import { SWEEPS } from './sweeps.ts'

const DAY_MS = 24 * 3_600_000
const PAID = { order: 'completed', authorizedMinor: 1900, capturedMinor: 1900 } as const
/** One question in 10 seconds. What was not used in the last minute may be used at once. */
const BUDGET = { SETTLED_QUESTIONS_PER_HOUR: '360' }
const AT_ONCE = 7

const { kassa, shop, openPayment } = await openScene({ settings: BUDGET })
let script: Script
beforeEach(async () => {
  script = scriptRoute(kassa.ctx)
  await kassa.ctx.db.query('update sandbox.attempts set question_due_at = null')
  await kassa.ctx.db.query('update sandbox.accounts set settled_questions_paused_until = null')
})

async function pay(count: number): Promise<AttemptedPayment[]> {
  script.lookUp = (truth) =>
    truth.kind === 'found' ? { ...truth, snapshot: { ...truth.snapshot, ...PAID } } : truth
  const paid: AttemptedPayment[] = []
  for (let each = 0; each < count; each++) paid.push(await askAboutPayment(kassa.ctx, await openPayment()))
  return paid
}
async function countQuestions(run: () => Promise<unknown>): Promise<number> {
  const before = script.calls.length
  await run()
  return script.calls.length - before
}
const sweep = () => SWEEPS.settledSync(kassa.ctx)

test('an account gets as many questions as its budget allows, also from several workers, and the metrics show the rest', async () => {
  await pay(20)
  kassa.clock.advance(DAY_MS + 600_000)
  const open = () => measureOpenWork(kassa.ctx.db, kassa.clock.now())
  expect(await open()).toMatchObject({ overdueSettledQuestions: 20, overdueQuestions: 0 })
  expect((await open()).oldestSettledQuestionSeconds).toBeGreaterThanOrEqual(600)
  expect(await countQuestions(() => Promise.all([sweep(), sweep(), sweep()]))).toBe(AT_ONCE)
  expect(await open()).toMatchObject({ overdueSettledQuestions: 20 - AT_ONCE })
  kassa.clock.advance(30_000)
  expect(await countQuestions(() => Promise.all([sweep(), sweep()]))).toBe(3)
  kassa.clock.advance(DAY_MS / 24)
  expect(await countQuestions(sweep)).toBe(AT_ONCE)
  for (let round = 0; round < 3; round++) {
    kassa.clock.advance(60_000)
    await sweep()
  }
  expect(await open()).toMatchObject({ overdueSettledQuestions: 0, oldestSettledQuestionSeconds: 0 })
})

test('the oldest due question comes first, and open payments do not wait for settled ones', async () => {
  const [first, second] = await pay(2)
  kassa.clock.advance(DAY_MS)
  await pay(AT_ONCE)
  kassa.clock.advance(DAY_MS + 1_000)
  const pending = await openPayment()
  kassa.clock.advance(11_000)
  const before = script.calls.length
  expect(await countQuestions(() => SWEEPS.statusSync(kassa.ctx))).toBe(1)
  expect(script.calls.at(-1)).toBe(`look-up ${pending.attempt.reference}`)
  await sweep()
  const oldest = [first, second].map((each) => `look-up ${each?.attempt.reference}`)
  expect(script.calls.slice(before + 1)).toEqual(expect.arrayContaining(oldest))
  expect(script.calls.slice(before + 1)).toHaveLength(AT_ONCE)
})

test('orders that ended unpaid have the same budget, and no buyer waits for them', async () => {
  script.lookUp = (truth) =>
    truth.kind === 'found' ? { ...truth, snapshot: { ...truth.snapshot, order: 'declined' } } : truth
  for (let each = 0; each < 20; each++) await askAboutPayment(kassa.ctx, await openPayment())
  // The first questions after the expiry are open ones.
  kassa.clock.advance(DAY_MS / 2)
  expect(await countQuestions(() => SWEEPS.statusSync(kassa.ctx))).toBe(20)
  kassa.clock.advance(DAY_MS)
  const pending = await openPayment()
  kassa.clock.advance(11_000)
  expect(await countQuestions(() => SWEEPS.statusSync(kassa.ctx))).toBe(1)
  expect(script.calls.at(-1)).toBe(`look-up ${pending.attempt.reference}`)
  expect(await measureOpenWork(kassa.ctx.db, kassa.clock.now())).toMatchObject({
    overdueQuestions: 0,
    overdueSettledQuestions: 20,
  })
  expect(await countQuestions(sweep)).toBe(AT_ONCE)
})

test('a provider that does not answer the questions about settled payments delays no question about an open one', async () => {
  await pay(10)
  kassa.clock.advance(DAY_MS + 1_000)
  const hung = Promise.withResolvers<never>()
  const driver = kassa.ctx.routes.route_a.driver
  const own = driver?.lookUp
  const pending = await openPayment()
  const isPending = (reference: string) => reference === pending.attempt.reference
  Object.assign(driver ?? {}, {
    lookUp: (...args: Parameters<NonNullable<typeof own>>) =>
      isPending(args[1].reference) ? own?.(...args) : hung.promise,
  })
  const settled = sweep()
  kassa.clock.advance(11_000)
  expect(await SWEEPS.statusSync(kassa.ctx)).toBe(1)
  expect(script.calls.at(-1)).toBe(`look-up ${pending.attempt.reference}`)
  hung.reject(new Error('the connection was reset'))
  await settled
})

test('a settled payment without an answer is asked about again, and after half a year no more', async () => {
  const [payment] = await pay(1)
  script.lookUp = () => ({ kind: 'unavailable', message: 'away' })
  const dueAt = async () =>
    (await findPayment(kassa.ctx.db, shop.merchantId, payment?.id ?? ''))?.attempt.questionDueAt
  for (let day = 0; day < 20; day++) {
    kassa.clock.advance(DAY_MS)
    expect(await countQuestions(sweep)).toBeGreaterThan(0)
  }
  kassa.clock.advance(170 * DAY_MS)
  await sweep()
  expect(await dueAt()).toBeNull()
})

test('an account whose budget is used up is not looked at before its pause ends', async () => {
  const [payment] = await pay(1)
  kassa.clock.advance(2 * DAY_MS)
  const now = kassa.clock.now()
  const list = () => DUE_SETTLED_QUESTIONS.list(kassa.ctx.db, now)
  expect(await list()).toEqual([payment?.attempt.accountId])
  await kassa.ctx.db.query('update sandbox.accounts set settled_questions_paused_until = $1', [
    new Date(now.getTime() + 1_000),
  ])
  expect(await list()).toEqual([])
})
