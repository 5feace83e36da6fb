/**
 * Tests an account with a real order and test money: opening, the buyer, capture, refunds and a void, and a saved payment
 * method. Every process records the driver's exchanges with the provider meanwhile. The driver's assumptions are checked
 * against this recording.
 * Rule: only in the sandbox. Every step uses the code that a shop's request uses.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { refusalOf } from '../accounts/capability-state.ts'
import { findAccount, whyNotReady } from '../accounts/choice.ts'
import { getAccountView } from '../accounts/manage.ts'
import { endRecording, holdRecording, newRecordingKey, recallRecordingKey } from '../accounts/recording.ts'
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { type Assumption, type RecordedCall, type Verdict, valueAt } from '../providers/driver/proof.ts'
import { type Account, DRIVERS } from '../providers/registry.ts'
import { deleteRecordedCalls, listRecordedCalls } from '../storage/accounts/recorded-calls.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { clearLeftovers } from './leftovers.ts'
import { findTestMerchant } from './merchant.ts'
import { testSaving } from './saving.ts'
import { giveUp, openTestOrder, operate, reread, type Test, waitForBuyer } from './steps.ts'

export type PayTestRequest = Pick<Test, 'waitMs' | 'signal' | 'report'> & {
  amountMinor: number
  currency: CurrencyCode
  /** Whether a payment method is saved, charged and removed too. */
  saves: boolean
}

/**
 * `callback`: how long after the opening the first callback came, and how long after the service had seen by asking that the buyer was
 * done. Null: none came.
 */
export type PayTestResult = {
  account: Account
  isComplete: boolean
  calls: RecordedCall[]
  callback: { afterOpeningMs: number; afterSeenMs: number | null } | null
  assumptions: { assumption: Assumption; verdict: Verdict }[]
}

/** A command that was killed is recorded for so long at most. */
const HELD_MS = 60_000
const KNOWN_AFTER_MS = 1_000
const RENEWED_EVERY_MS = 15_000
/** A callback may come a little after the last step. */
const CALLBACK_MS = 5_000

/** @throws AppError not_found; validation_failed in the live world, or for an account that cannot be tested or is being tested */
export async function testAccountByPaying(
  ctx: Context,
  accountId: string,
  wish: PayTestRequest,
): Promise<PayTestResult> {
  const account = await findTestable(ctx, accountId, wish)
  const test: Test = { ctx, account, merchantId: await findTestMerchant(ctx), opened: new Set(), ...wish }
  const key = newRecordingKey()
  const hold = () => holdRecording(ctx, account.id, key, new Date(ctx.clock.now().getTime() + HELD_MS))
  await clearLeftovers(test)
  await deleteRecordedCalls(ctx.db, account.id)
  await hold()
  // By then every process knows that it records.
  await sleep(KNOWN_AFTER_MS)
  const renewing = setInterval(() => void hold().catch(() => {}), RENEWED_EVERY_MS)
  try {
    const isComplete = (await takeSteps(test)) && (!wish.saves || (await testSaving(test)))
    const calls = await collect(test)
    const assumptions = DRIVERS[account.driverName]?.proof?.assumptions ?? []
    return {
      account,
      isComplete,
      calls,
      callback: callbackIn(calls),
      assumptions: assumptions.map((assumption) => ({ assumption, verdict: assumption.judge(calls) })),
    }
  } finally {
    clearInterval(renewing)
    await endRecording(ctx, account.id)
    await deleteRecordedCalls(ctx.db, account.id)
  }
}

/** @throws AppError validation_failed if the driver has no list of what may be kept */
export async function expectRecordable(ctx: Context, accountId: string): Promise<void> {
  const { driver } = await getAccountView(ctx, accountId)
  if (DRIVERS[driver]?.proof) return
  const message = `The driver ${driver} has no list of what may be kept, so nothing of it is recorded. Leave out --record.`
  throw new AppError('validation_failed', { message })
}

async function findTestable(
  ctx: Context,
  accountId: string,
  { currency, saves }: PayTestRequest,
): Promise<Account> {
  if (ctx.world !== 'sandbox')
    throw new AppError('validation_failed', { message: 'A test with a real order is only for the sandbox.' })
  const { currencies } = await getAccountView(ctx, accountId)
  const account = await findAccount(ctx, accountId)
  const problem =
    (!account && whyNotReady(ctx, accountId)) ||
    (account &&
      !account.driver.lookUp &&
      `${account.driver.label} cannot be asked, so a test shows nothing.`) ||
    (account && saves && refusalOf(ctx, account, 'tokenization')) ||
    (!currencies.includes(currency) &&
      `The account does not take ${currency}. It takes ${currencies.join(', ')}.`) ||
    (recallRecordingKey(ctx, accountId) !== null &&
      'Another test of this account is running. If it was killed, try again in a minute.')
  if (problem || !account) throw new AppError('validation_failed', { message: problem || 'not ready' })
  return account
}

/** Returns false if the buyer did not pay. */
async function takeSteps(test: Test): Promise<boolean> {
  const first = await pay(test, 'the first order')
  if (!first) return false
  const isHeld = first.status === 'authorized'
  if (isHeld) await operate(test, 'capture', first)
  await refundInTwo(test, await reread(test, first))
  if (!test.account.driver.void) return true
  if (!isHeld) {
    test.report(
      'A void needs a payment in two steps. To see one, set STEPS=two for the account, and test again.',
    )
    return true
  }
  const second = await pay(test, 'a second order, which is voided')
  return second !== null && operate(test, 'void', second)
}

/** Opens an order and waits for the buyer. Returns null if there is no money in the end. */
async function pay(test: Test, what: string): Promise<AttemptedPayment | null> {
  const opened = await openTestOrder(test, what)
  const { payment, stopped } = await waitForBuyer(test, opened)
  if (stopped) await giveUp(test, payment)
  else test.report(`The payment is ${payment.status}.`, { paymentId: payment.id, status: payment.status })
  return ['authorized', 'paid'].includes(payment.status) ? payment : null
}

async function refundInTwo(test: Test, payment: AttemptedPayment): Promise<void> {
  const { capturedMinor } = payment
  const part = Math.floor(capturedMinor / 200) * 100 || Math.floor(capturedMinor / 2)
  if (part > 0 && !(await operate(test, 'refund', payment, part))) return
  if (capturedMinor > part) await operate(test, 'refund', payment, capturedMinor - part)
}

/** Waits a little for a callback, and returns everything that was recorded about the payments of this test. */
async function collect({ ctx, account, opened, signal }: Test): Promise<RecordedCall[]> {
  const callsBack = account.driver.callbacksSetUp?.(account.settings) ?? false
  const untilMs = performance.now() + (callsBack ? CALLBACK_MS : 0)
  for (;;) {
    const all = await listRecordedCalls(ctx.db, account.id)
    const read = all.map(({ about, call }) => ({ about, call: call as RecordedCall }))
    const isOurs = ({ about }: (typeof read)[number]) => about !== null && opened.has(about)
    const references = read.filter(isOurs).map(({ call }) => valueAt(call.given, 0, 'reference'))
    // A callback is about no payment before it was read.
    const isCallback = ({ call }: (typeof read)[number]) =>
      call.member === 'receive' && references.includes(valueAt(call.result, 'reference'))
    const calls = read.filter((each) => isOurs(each) || isCallback(each)).map(({ call }) => call)
    if (callbackIn(calls) || performance.now() >= untilMs || signal.aborted) return calls
    await sleep(200)
  }
}

function callbackIn(calls: readonly RecordedCall[]): PayTestResult['callback'] {
  const [opened] = calls
  const seen = calls.find(({ result }) => PAID.includes(String(valueAt(result, 'snapshot', 'order'))))
  const came = calls.find(({ member }) => member === 'receive')
  if (!opened || !came) return null
  const since = ({ at: when }: RecordedCall) => Date.parse(came.at) - Date.parse(when)
  return { afterOpeningMs: since(opened), afterSeenMs: seen ? since(seen) : null }
}
const PAID = ['approved', 'completed']
