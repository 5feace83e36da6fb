/**
 * Asking the provider what became of a payment, and applying its word. The buyer's return, a callback, a look-up and
 * the schedule all come here: there is one way in which a payment learns of its money.
 */
import type { Context } from '../context.ts'
import type { LookUpResult, Snapshot } from '../providers/driver.ts'
import { isReady, type ReadyRoute } from '../providers/routes.ts'
import { claimProviderQuestion, type PaymentRecord, updateSyncDue } from '../storage/payments.ts'
import { providerCall, within } from './provider-call.ts'
import { canExpire, isOpen } from './status.ts'
import { applyStatus, type Change } from './transition.ts'

/** A look-up asks the provider at most this often for one payment. */
export const ASKED_LATELY_MS = 3_000
const QUESTION_TIMEOUT_MS = 5_000
/** How long after its expiry a payment is still asked about. */
const AFTER_EXPIRY_MS = 30 * 60_000
const UNKNOWN_INTERVAL_MS = 24 * 3_600_000
const UNKNOWN_DAYS_MAX = 7
/** While one process asks, the others leave the payment alone for this long. */
export const SYNC_LEASE_MS = 60_000

/** When a new payment is first asked about. */
export function firstSyncAt(ctx: Context, createdAt: Date): Date {
  return new Date(createdAt.getTime() + (ctx.config.statusSyncDelaysSeconds[0] ?? 10) * 1000)
}

/** When it is next asked about, after `attempts` questions; null when nothing more is to be expected. */
export function nextSyncAt(ctx: Context, payment: PaymentRecord, attempts: number): Date | null {
  const now = ctx.clock.now().getTime()
  if (payment.status === 'status_unknown') {
    const givenUp = now > payment.updatedAt.getTime() + UNKNOWN_DAYS_MAX * UNKNOWN_INTERVAL_MS
    return givenUp ? null : new Date(now + UNKNOWN_INTERVAL_MS)
  }
  if (now > payment.expiresAt.getTime() + AFTER_EXPIRY_MS) return null
  const delays = ctx.config.statusSyncDelaysSeconds
  return new Date(now + (delays[Math.min(attempts, delays.length - 1)] ?? 900) * 1000)
}

/** Asks the provider, whatever was asked lately. A question that takes too long or fails is an unavailable provider. */
export async function askProvider(
  ctx: Context,
  route: ReadyRoute,
  payment: PaymentRecord,
): Promise<LookUpResult> {
  if (!route.driver.lookUp) return { kind: 'unavailable', message: 'this provider cannot be asked' }
  const order = { reference: payment.providerReference, state: payment.providerState }
  try {
    return await within(QUESTION_TIMEOUT_MS, route.driver.lookUp(providerCall(ctx, route), order))
  } catch (error) {
    return { kind: 'unavailable', message: String(error) }
  }
}

/** Asks the provider and applies its word; `asked`: what it has just said. Answers the payment as it then stands. */
export async function syncPayment(
  ctx: Context,
  payment: PaymentRecord,
  asked?: LookUpResult,
): Promise<PaymentRecord> {
  const route = ctx.routes[payment.provider]
  if (!isReady(route) || !route.driver.lookUp) return payment
  const answer = asked ?? (await askProvider(ctx, route, payment))
  const change = decide(payment, answer, ctx.clock.now())
  if (!change) return payment
  const applied = await applyStatus(ctx, payment, change)
  if (applied.outcome === 'refused')
    ctx.log.warn(
      { paymentId: payment.id, from: applied.payment.status, to: change.to },
      'provider answer does not fit',
    )
  return applied.payment
}

/** As syncPayment, for callers who may come often: asks only what is open and was not asked about in the last seconds. */
export async function syncIfStale(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  if (!isOpen(payment.status) || payment.status === 'created') return payment
  const now = ctx.clock.now()
  const ours = await claimProviderQuestion(ctx.db, payment, now, new Date(now.getTime() - ASKED_LATELY_MS))
  return ours ? syncPayment(ctx, payment) : payment
}

/** A question that fell due: asks, and says when to ask again. */
export async function syncDue(ctx: Context, payment: PaymentRecord): Promise<void> {
  const now = await syncPayment(ctx, payment)
  if (now.syncDueAt) await updateSyncDue(ctx.db, now, nextSyncAt(ctx, now, payment.syncAttempts))
}

/** What an answer means for this payment; null: nothing to change. */
export function decide(payment: PaymentRecord, answer: LookUpResult, now: Date): Change | null {
  if (answer.kind === 'unavailable') return null
  const overdue = now >= payment.expiresAt
  const expiry: Change = {
    to: 'expired',
    cause: 'expiry',
    detail: 'expired; the provider has no money for it',
  }
  if (answer.kind === 'not_found') return overdue && canExpire(payment.status) ? expiry : null
  const { snapshot } = answer
  const mismatch = findMismatch(payment, snapshot)
  if (mismatch && snapshot.status !== 'pending_redirect')
    return { to: 'status_unknown', cause: 'provider', detail: mismatch }
  if (snapshot.status === 'pending_redirect' || snapshot.status === 'pending_payment') {
    if (overdue && payment.status !== 'status_unknown') return canExpire(payment.status) ? expiry : null
    return snapshot.status === payment.status || snapshot.status === 'pending_redirect'
      ? null
      : fromSnapshot(snapshot)
  }
  return fromSnapshot(snapshot)
}

/** The provider's word as a change of ours. */
export function fromSnapshot({
  status,
  authorizedMinor,
  capturedMinor,
  refundedMinor,
  detail,
}: Snapshot): Change {
  const money = { authorizedMinor, capturedMinor, refundedMinor }
  return { to: status, cause: 'provider', money, ...(detail !== undefined && { detail }) }
}

/** A provider's word counts only for our reference, amount and currency. */
export function findMismatch(payment: PaymentRecord, snapshot: Snapshot): string | null {
  if (snapshot.reference !== payment.providerReference) return 'the provider answered for another reference'
  if (snapshot.currency !== payment.currency) return `the provider answered in ${snapshot.currency}`
  if (snapshot.amountMinor !== payment.amountMinor)
    return `the provider answered with amount ${snapshot.amountMinor}`
  return null
}
