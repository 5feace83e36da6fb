/** The steps of a test with a real order. Each uses the verb that a merchant's request uses, and then waits for its end. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import type { CurrencyCode } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { counted } from '../messages/counted.ts'
import { withdrawOrder } from '../payments/attempts/provider-order.ts'
import { askAboutPayment } from '../payments/attempts/question.ts'
import { askIfStale } from '../payments/attempts/visit.ts'
import { createPayment } from '../payments/creation/create.ts'
import { fingerprint } from '../payments/idempotency.ts'
import { decimalAmount } from '../payments/money.ts'
import { isEnded, MONEY_OPERATIONS, type MoneyOperation } from '../payments/operation.ts'
import { requestMoneyOperation } from '../payments/operations/money.ts'
import { workOnMoney } from '../payments/saved-methods/return.ts'
import { isOpen } from '../payments/status.ts'
import { presentPayment } from '../payments/view.ts'
import type { Account } from '../providers/registry.ts'
import { claimDueOperations } from '../storage/payments/due-accounts.ts'
import { findOperation } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPayment } from '../storage/payments/payments.ts'

/** What every step needs. `say` gets lines for the person. `signal`: the person has pressed Ctrl-C. */
export type Test = {
  ctx: Context
  account: Account
  merchantId: string
  amountMinor: number
  currency: CurrencyCode
  waitMs: number
  signal: AbortSignal
  /** The payments and saved methods that this test has opened. */
  opened: Set<string>
  report(text: string, json?: object): void
}

const SCOPE = 'account test'
const LOOK_EVERY_MS = 1_000
const REPORT_EVERY_MS = 30_000
const OPERATION_ENDS_MS = 120_000
/** The payment outlives the wait a little, so that an approval of the last second is still taken. */
const MARGIN_MS = 60_000

/** Opens an order for a payment of the reserved merchant, in the way of a shop's request. */
export async function openTestOrder(test: Test, what: string): Promise<AttemptedPayment> {
  const { ctx, account, merchantId, amountMinor, currency, waitMs } = test
  const key = newId(ctx.world, 'pay', merchantId, ctx.clock.now())
  const claim = { merchantId, scope: SCOPE, key, fingerprint: fingerprint({ key }), isReleased: () => false }
  const { payment } = await createPayment(ctx, claim, {
    merchantId,
    merchantOrderId: `test-${key.slice(-6)}`,
    amountMinor,
    currency,
    provider: account.route,
    description: 'A test of the payment service',
    returnUrl: null,
    expiresAt: new Date(ctx.clock.now().getTime() + waitMs + MARGIN_MS),
    account,
  })
  test.opened.add(payment.id)
  const { checkoutUrl, providerCheckoutUrl } = presentPayment(ctx, payment)
  const amount = `${decimalAmount(amountMinor, currency)} ${currency}`
  test.report(`Opened ${what}: ${payment.id}, ${amount}.`, {
    paymentId: payment.id,
    checkoutUrl,
    providerCheckoutUrl,
  })
  test.report(`Pay there as a buyer, with the provider's test data: ${providerCheckoutUrl ?? checkoutUrl}`)
  test.report(`Waiting for up to ${counted(Math.round(waitMs / 60_000), 'minute')}. Ctrl-C ends the test.`)
  return payment
}

/** Waits until the buyer has paid or the payment has ended. `stopped` also after the time is up. */
export async function waitForBuyer(
  test: Test,
  opened: AttemptedPayment,
): Promise<{ payment: AttemptedPayment; stopped: boolean }> {
  const payment = await untilOver(test, {
    look: async () => askIfStale(test.ctx, await reread(test, opened)),
    isOver: ({ status }) => !isOpen(status),
    waiting: 'the payment',
  })
  return { payment, stopped: isOpen(payment.status) }
}

/** Looks every second until it is over, the time is up, or the person has pressed Ctrl-C. Returns what was seen last. */
export async function untilOver<Seen extends { status: string }>(
  test: Test,
  { look, isOver, waiting }: { look(): Promise<Seen>; isOver(seen: Seen): boolean; waiting: string },
): Promise<Seen> {
  const startedMs = performance.now()
  let reportedMs = startedMs
  for (;;) {
    const seen = await look()
    const now = performance.now()
    if (isOver(seen) || test.signal.aborted || now - startedMs > test.waitMs) return seen
    if (now - reportedMs >= REPORT_EVERY_MS) {
      reportedMs = now
      test.report(`Still waiting for the buyer: ${waiting} is ${seen.status}.`)
    }
    await pause(test)
  }
}

/** Ends an order that nobody has paid, where the provider has a call for that. The payment then ends by itself at its expiry. */
export async function giveUp(test: Test, payment: AttemptedPayment): Promise<void> {
  const { ctx, account, report } = test
  const isTried = await withdrawOrder(ctx, account, payment)
  const { status } = isTried ? await askAboutPayment(ctx, await reread(test, payment)) : payment
  const how = isTried
    ? 'The order is withdrawn.'
    : `${account.driver.label} has no call that withdraws an order. Nothing is taken any more.`
  const { id: paymentId, expiresAt } = payment
  const end = isOpen(status) ? `ends at ${expiresAt.toISOString()}` : `is ${status}`
  report(`${how} The payment ${paymentId} ${end}.`, { paymentId, status })
}

/** Asks for an operation as a merchant does, and carries it out here if no worker does. Returns whether it succeeded. */
export async function operate(
  test: Test,
  type: MoneyOperation,
  { id: paymentId }: AttemptedPayment,
  amountMinor?: number,
): Promise<boolean> {
  const { ctx, merchantId, report } = test
  const name = amountMinor === undefined ? type : `${type} of ${decimalAmount(amountMinor, test.currency)}`
  const key = newId(ctx.world, 'opr', merchantId, ctx.clock.now())
  const request = amountMinor === undefined ? {} : { amountMinor }
  try {
    const requested = await requestMoneyOperation(ctx, type, {
      merchantId,
      paymentId,
      idempotencyKey: key,
      request: { reason: 'a test of the account', ...request },
    })
    const startedMs = performance.now()
    const done = await waitForOperation(test, requested.operation.id)
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
    const why = done.statusReason ? ` (${done.statusReason})` : ''
    report(`The ${name}: ${done.status} after ${seconds} s${why}.`, {
      operation: type,
      status: done.status,
      paymentId,
    })
    return done.status === 'succeeded'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const hint = error.details.hint ? ` ${error.details.hint}` : ''
    report(`The ${name} was not possible: ${error.message}${hint}`, {
      operation: type,
      status: 'rejected',
      paymentId,
    })
    return false
  }
}

async function waitForOperation(test: Test, id: string) {
  const { ctx, account, merchantId } = test
  const untilMs = performance.now() + OPERATION_ENDS_MS
  for (;;) {
    const operation = await findOperation(ctx.db, merchantId, id)
    if (!operation) throw new Error(`Bug! Operation ${id} is not there.`)
    if (isEnded(operation.status) || performance.now() > untilMs) return operation
    // The worker of the service does the same. The first of both carries the operation out.
    const now = ctx.clock.now()
    const leaseUntil = new Date(now.getTime() + ctx.config.operationLeaseSeconds * 1000)
    const due = { now, leaseUntil, limit: 10, types: [...MONEY_OPERATIONS] }
    for (const each of await claimDueOperations(ctx.db, account.id, due)) await workOnMoney(ctx, each)
    await sleep(LOOK_EVERY_MS / 5)
  }
}

/** Returns the payment as it is stored now. */
export async function reread({ ctx, merchantId }: Test, { id }: AttemptedPayment): Promise<AttemptedPayment> {
  const payment = await findPayment(ctx.db, merchantId, id)
  if (!payment) throw new Error(`Bug! Payment ${id} is not there.`)
  return payment
}

async function pause({ signal }: Test): Promise<void> {
  await sleep(LOOK_EVERY_MS, null, { signal }).catch(() => {})
}
