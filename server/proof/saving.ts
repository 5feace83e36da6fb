/**
 * The second part of a test with test money: the buyer saves a card or a wallet, which is charged once, refunded and removed. Each step
 * uses the verb that a merchant's request uses.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { counted } from '../messages/counted.ts'
import { decimalAmount } from '../payments/money.ts'
import { isEnded } from '../payments/operation.ts'
import { askReportedSavedMethod, workOnRevocation } from '../payments/saved-methods/question.ts'
import { createTokenizationIntent, revokeToken } from '../payments/saved-methods/saved-method.ts'
import { isOpen } from '../payments/status.ts'
import { cancelSubscription, createSubscription } from '../payments/subscriptions/subscription.ts'
import { SUBSCRIPTION_LEASE_MS, workOnSubscription } from '../payments/subscriptions/work.ts'
import { claimDueOperations } from '../storage/payments/due-accounts.ts'
import { findOperation } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../storage/payments/subscription-charges.ts'
import { claimDueSubscriptions } from '../storage/payments/subscriptions.ts'
import { findSavedMethod, type SavedMethodRecord } from '../storage/saved-methods/saved-methods.ts'
import { operate, type Test, untilOver } from './steps.ts'

const REVOCATION_ENDS_MS = 60_000
const CHARGE_ENDS_MS = 120_000
const POLL_MS = 200

/** Returns false if the buyer saved nothing, or if a step did not succeed. */
export async function testSaving(test: Test): Promise<boolean> {
  const method = await saveMethod(test)
  if (!method) return false
  const isCharged = method.status === 'active' && (await chargeAndRefund(test, method))
  const isRemoved = await removeMethod(test, method)
  return isCharged && isRemoved
}

/** Opens the provider's page and waits for the buyer. Returns null if the page could not be opened. */
async function saveMethod(test: Test): Promise<SavedMethodRecord | null> {
  const { ctx, account, merchantId, waitMs, report } = test
  try {
    const { token, setupUrl } = await createTokenizationIntent(ctx, {
      merchantId,
      account,
      idempotencyKey: newKey(test),
      request: { providerRoute: account.route, customerConsentId: 'a test of the account' },
    })
    test.opened.add(token.id)
    report(`Opened the page that saves a payment method: ${token.id}.`, { savedMethodId: token.id, setupUrl })
    report(`Save one there as a buyer, with the provider's test data: ${setupUrl}`)
    report(`Waiting for up to ${counted(Math.round(waitMs / 60_000), 'minute')}. Ctrl-C ends the test.`)
    const method = await untilOver(test, {
      look: () => readMethod(test, token.id),
      isOver: ({ status }) => status !== 'pending',
      waiting: 'the page to save a payment method',
    })
    report(`The saved method is ${method.status}.`, { savedMethodId: token.id, status: method.status })
    return method
  } catch (error) {
    reportRefusal(test, 'saving of a payment method', error)
    return null
  }
}

async function readMethod({ ctx, merchantId }: Test, id: string): Promise<SavedMethodRecord> {
  const known = await getMethod({ ctx, merchantId }, id)
  if (known.status !== 'pending') return known
  await askReportedSavedMethod(ctx, known)
  return getMethod({ ctx, merchantId }, id)
}

async function getMethod(
  { ctx, merchantId }: Pick<Test, 'ctx' | 'merchantId'>,
  id: string,
): Promise<SavedMethodRecord> {
  const method = await findSavedMethod(ctx.db, merchantId, id)
  if (!method) throw new Error(`Bug! The saved method ${id} is not there.`)
  return method
}

/** The first charge of a subscription. The subscription is cancelled at once, because there must be no second charge. */
async function chargeAndRefund(test: Test, method: SavedMethodRecord): Promise<boolean> {
  const { ctx, merchantId, account, amountMinor, currency, report } = test
  const key = newKey(test)
  try {
    const { subscription } = await createSubscription(ctx, {
      merchantId,
      idempotencyKey: key,
      request: {
        providerRoute: account.route,
        merchantSubscriptionId: `test-${key.slice(-6)}`,
        paymentTokenId: method.id,
        amountMinor,
        currency,
        interval: 'year',
        description: 'A test of the payment service',
      },
    })
    const payment = await waitForCharge(test, subscription.id)
    await cancelSubscription(ctx, {
      merchantId,
      subscriptionId: subscription.id,
      idempotencyKey: newKey(test),
    })
    const amount = `${decimalAmount(amountMinor, currency)} ${currency}`
    const status = payment?.status ?? 'not sent'
    report(`The charge of ${amount} without the buyer: ${status}.`, { paymentId: payment?.id, status })
    if (payment?.status !== 'paid') return false
    return operate(test, 'refund', payment, payment.capturedMinor)
  } catch (error) {
    reportRefusal(test, 'charge', error)
    return false
  }
}

/** Charges here if no worker does. The first of both sends the charge. Returns null if nothing was sent. */
async function waitForCharge(test: Test, subscriptionId: string): Promise<AttemptedPayment | null> {
  const { ctx, account, merchantId } = test
  const untilMs = performance.now() + CHARGE_ENDS_MS
  for (;;) {
    const now = ctx.clock.now()
    const due = { now, leaseUntil: new Date(now.getTime() + SUBSCRIPTION_LEASE_MS), limit: 10 }
    for (const each of await claimDueSubscriptions(ctx.db, account.id, due))
      await workOnSubscription(ctx, each)
    const [charge] = await listSubscriptionCharges(ctx.db, { merchantId, subscriptionId })
    const payment = charge ? await findPayment(ctx.db, merchantId, charge.paymentId) : null
    if (payment) test.opened.add(payment.id)
    const isDone = payment !== null && !isOpen(payment.status)
    if (isDone || performance.now() > untilMs || test.signal.aborted) return payment
    await sleep(POLL_MS)
  }
}

/** Removes the method at the provider, or ends the saving of one. Its subscriptions end with it. */
export async function removeMethod(test: Test, { id: tokenId }: SavedMethodRecord): Promise<boolean> {
  const { ctx, merchantId, report } = test
  try {
    const revocation = await revokeToken(ctx, { merchantId, tokenId, idempotencyKey: newKey(test) })
    const { status, statusReason } = await waitForRevocation(test, revocation.operation.id)
    const why = statusReason ? ` (${statusReason})` : ''
    report(`The removal of the saved method: ${status}${why}.`, { operation: 'token_revoke', status })
    return status === 'succeeded'
  } catch (error) {
    reportRefusal(test, 'removal', error)
    return false
  }
}

async function waitForRevocation({ ctx, account, merchantId }: Test, id: string) {
  const untilMs = performance.now() + REVOCATION_ENDS_MS
  for (;;) {
    const operation = await findOperation(ctx.db, merchantId, id)
    if (!operation) throw new Error(`Bug! Operation ${id} is not there.`)
    if (isEnded(operation.status) || performance.now() > untilMs) return operation
    const now = ctx.clock.now()
    const leaseUntil = new Date(now.getTime() + REVOCATION_ENDS_MS)
    const due = { now, leaseUntil, limit: 10, types: ['token_revoke' as const] }
    for (const each of await claimDueOperations(ctx.db, account.id, due)) await workOnRevocation(ctx, each)
    await sleep(POLL_MS)
  }
}

const newKey = ({ ctx, merchantId }: Test) => newId(ctx.world, 'opr', merchantId, ctx.clock.now())

/** @throws any other error */
function reportRefusal({ report }: Test, what: string, error: unknown): void {
  if (!(error instanceof AppError)) throw error
  const hint = error.details.hint ? ` ${error.details.hint}` : ''
  report(`The ${what} was not possible: ${error.message}${hint}`, { step: what, status: 'rejected' })
}
