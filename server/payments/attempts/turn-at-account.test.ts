/**
 * PayPal refuses the account, and many payments, refunds and questions wait for it: one request at a time finds out whether the refusal
 * is over. Then all of them are done, each once.
 */
import { beforeEach, expect, test } from 'vitest'
import { recallHealth } from '../../accounts/health.ts'
import { resetAccountHealth } from '../../storage/accounts/health.ts'
import { setPaypalScene } from '../../testing/providers/paypal-scene.ts'
import { actAsBuyer } from '../../testing/providers/paypal-server.ts'
import { closeAfter } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'

const MINUTE_MS = 60_000
const MANY = 4
const CAPTURE = /\/orders\/[^/]+\/capture$/
const REFUND = /\/refund$/
const seen: string[] = []
const scene = closeAfter(
  await setPaypalScene({ onRequest: ({ method, url }) => seen.push(`${method} ${url}`) }),
)
beforeEach(async () => {
  const { ctx, clock } = scene.kassa
  scene.server.account.refusals = []
  scene.server.account.secret = SECRET
  await resetAccountHealth(ctx.db, scene.accountId, clock.now())
  ctx.accounts.forget()
})
const SECRET = 'planted-secret-of-the-simulator'

const restrict = (request: RegExp) => {
  scene.server.account.refusals = [{ request, status: 422, issue: 'PAYEE_ACCOUNT_RESTRICTED' }]
}
/** Returns how many requests of this kind have arrived since. */
const counted = (what: RegExp) => {
  const before = seen.length
  return () => seen.slice(before).filter((each) => what.test(each)).length
}
async function health() {
  scene.kassa.ctx.accounts.forget()
  await scene.kassa.ctx.accounts.read()
  return recallHealth(scene.kassa.ctx, scene.accountId)
}
async function approved(): Promise<string> {
  const { body } = await scene.open()
  await actAsBuyer(body.providerCheckoutUrl, 'pay')
  return body.id
}
const sweepAll = async () => {
  await SWEEPS.statusSync(scene.kassa.ctx)
  await SWEEPS.moneyOperations(scene.kassa.ctx)
}
async function minutes(count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    scene.kassa.clock.advance(MINUTE_MS)
    await sweepAll()
  }
}

/** Lets minutes pass until this is true of every payment. Nothing takes longer than 70 of them. */
async function untilAll(ids: readonly string[], isDone: (id: string) => Promise<boolean>): Promise<void> {
  const areDone = async () => (await Promise.all(ids.map(isDone))).every(Boolean)
  for (let minute = 0; minute < 70 && !(await areDone()); minute++) await minutes(1)
  expect(await areDone()).toBe(true)
}
const isPaid = async (id: string) => (await scene.status(id)) === 'paid'

test('of many approved payments one at a time tries to be captured, and all are paid once the account is accepted', {
  tags: ['long'],
}, async () => {
  const ids = await Promise.all(Array.from({ length: MANY }, approved))
  restrict(CAPTURE)
  await scene.deliver()
  const tries = counted(CAPTURE)
  const questions = counted(/^GET .*\/orders\//)
  await minutes(10)
  expect(tries()).toBeLessThanOrEqual(10)
  expect(tries()).toBeGreaterThanOrEqual(3)
  // An account that may not take money can still be asked about orders.
  expect(questions()).toBeGreaterThan(MANY)
  for (const id of ids) expect(await scene.status(id)).toBe('pending_payment')
  scene.server.account.refusals = []
  await untilAll(ids, isPaid)
  for (const id of ids) await scene.expectReconciled(id)
})

test('of many refunds one at a time is sent, and each is made once in the end', async () => {
  const ids: string[] = []
  for (let count = 0; count < MANY; count++) ids.push(await scene.pay())
  // The account is known to be refused once a capture meets it.
  restrict(/\/(refund|capture)$/)
  const first = await approved()
  await scene.deliver()
  expect((await health()).state).toBe('refusing')
  const tries = counted(REFUND)
  for (const id of ids) await scene.ask(id, 'refunds', { amountMinor: 500, reason: 'returned' })
  await minutes(10)
  expect(tries()).toBeLessThanOrEqual(10)
  scene.server.account.refusals = []
  await untilAll(ids, async (id) => (await scene.payment(id)).refundedMinor > 0)
  await untilAll([first], isPaid)
  for (const id of ids)
    expect(await scene.payment(id)).toMatchObject({ status: 'partially_refunded', refundedMinor: 500 })
  expect(tries()).toBeLessThanOrEqual(10 + MANY)
})

test('while PayPal does not accept the credentials, one question at a time is asked', async () => {
  const opened: string[] = []
  restrict(CAPTURE)
  for (let count = 0; count < MANY; count++) opened.push(await approved())
  await scene.deliver()
  scene.server.account.refusals = []
  scene.server.account.secret = 'another-one'
  scene.server.account.accessTokens.clear()
  const tokens = counted(/oauth2\/token/)
  await minutes(10)
  expect(await health()).toMatchObject({
    state: 'refusing',
    refusal: 'credentials',
  })
  expect(tokens()).toBeLessThanOrEqual(2 * 10)
  scene.server.account.secret = SECRET
  await untilAll(opened, isPaid)
})
