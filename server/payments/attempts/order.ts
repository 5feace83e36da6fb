/**
 * Opening an order at the provider. No transaction is open while the provider is called. The caller holds a lease, so that nobody
 * else opens the same order meanwhile.
 * Rule: an order is opened once. Whoever goes on after somebody else asks the provider for the order first.
 */

import { refusalIn } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { findShownName } from '../../merchants/branding.ts'
import type { Attempt, StartResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { findPayment, type PaymentRecord } from '../../storage/payments/payments.ts'
import { updateProviderState } from '../../storage/payments/provider-orders.ts'
import { findUnknownOrderState } from '../../storage/restores/unknown-orders.ts'
import { callbackUrlOf, callProvider, explainCallFailure, isTimeout, providerCall } from '../provider-call.ts'
import { isUnderWay } from '../provider-word.ts'
import { mayBeKnownAlready } from '../restored.ts'
import type { Started } from '../transition.ts'
import { askProvider } from './question.ts'
import { descriptionIn } from './sold-product.ts'

const START_TIMEOUT_MS = 20_000

/**
 * `unreachable`: an order was opened, or may have been, but its checkout address is not known, so no buyer can be sent there.
 * `timed_out`: we stopped waiting, but the provider may still open the order.
 * `expired`: the provider has no order, and the payment's time has passed, so none is opened.
 */
export type Answer =
  | StartResult
  | { kind: 'expired' }
  | { kind: 'unreachable' | 'timed_out'; message: string }
export type OpenOrder = Exclude<StartResult, { kind: 'refused' | 'unknown' }>

/**
 * Stops waiting when half of the lease is left, also if the call starts late in the lease, and nothing is sent after that, even if
 * the process was stopped meanwhile. So nobody else can take the key while the call is running, nor soon after.
 */
export async function openCheckout(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  leaseUntil: Date | null,
): Promise<Answer> {
  const attempt = await attemptOf(ctx, account, payment)
  const sendUntil = new Date((leaseUntil?.getTime() ?? 0) - ctx.config.idempotencyLeaseSeconds * 500)
  const timeoutMs = Math.min(START_TIMEOUT_MS, sendUntil.getTime() - ctx.clock.now().getTime())
  try {
    const { composeCheckout, startCheckout } = account.driver
    if (composeCheckout) return composeCheckout(providerCall(ctx, account), attempt)
    if (timeoutMs <= 0) throw new Error('too little of the lease was left to call the provider')
    const calling = { timeoutMs, sendUntil, about: payment.id }
    return await callProvider(ctx, account, calling, (call) => startCheckout(call, attempt))
  } catch (error) {
    const refused = refusalIn(error)
    if (refused) return { kind: 'refused', ...refused }
    return {
      kind: isTimeout(error) ? 'timed_out' : 'unknown',
      message: explainCallFailure(ctx, error, { account: account.id, about: payment.id }),
    }
  }
}

/**
 * Opens an order. `claim`: `new` if nobody has begun to open it. After a restore the provider may have it all the same, so it is
 * asked first. `begunAt`: when somebody began to open it.
 */
export async function startOrder(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  { claim, leaseUntil }: { claim: 'new' | 'resumed'; leaseUntil: Date | null },
): Promise<Answer> {
  const begunAt = payment.attemptBegunAt
  const isKnown = await mayBeKnownAlready(ctx, begunAt)
  if (claim === 'new' && !isKnown) return openCheckout(ctx, account, payment, leaseUntil)
  return resumeCheckout(ctx, account, payment, { leaseUntil, begunAt, isKnown })
}

/**
 * Opens an order that somebody may have opened before. The provider is asked for it first. An order whose payment has expired is
 * not opened any more. `isKnown`: the order may have been opened before the restore, in other words.
 */
async function resumeCheckout(
  ctx: Context,
  account: Account,
  payment: PaymentRecord,
  { leaseUntil, begunAt, isKnown }: { leaseUntil: Date | null; begunAt: Date; isKnown: boolean },
): Promise<Answer> {
  const now = ctx.clock.now()
  const isExpired = now >= payment.expiresAt
  const open = (): Promise<Answer> | Answer =>
    isExpired ? { kind: 'expired' } : openCheckout(ctx, account, payment, leaseUntil)
  const { keyedStart, keyLifetimeMs = 0 } = account.driver
  const ageMs = now.getTime() - begunAt.getTime()
  // The provider still knows the key, so the same request opens the same order.
  if (keyedStart && ageMs < keyLifetimeMs && !isExpired && !isKnown) return open()
  if (!account.driver.lookUp)
    // Without autoinit only the buyer's browser tells the provider of an order. So no order can have been opened yet.
    return account.driver.supportsAutoinit
      ? {
          kind: 'unreachable',
          message: 'the checkout may have been opened, and this provider cannot be asked',
        }
      : open()
  const order = isKnown ? await withHeardState(ctx, payment) : payment
  const answer = await askProvider(ctx, account, order)
  switch (answer.kind) {
    case 'unavailable':
      // A provider that takes the same reference once opens no second order.
      if (isKnown && keyedStart && !isExpired) return openKnown(ctx, payment, await open())
      return { kind: 'unknown', message: answer.message }
    case 'not_found':
      return open()
    case 'found':
      // Such an order is neither opened nor withdrawn. The next question stores it.
      if (isUnderWay(answer.snapshot))
        return {
          kind: 'unknown',
          message: 'the provider is working on a payment that its buyer has finished',
        }
      return (
        answer.opened ?? {
          kind: 'unreachable',
          message: 'the checkout was opened, but its address is not known',
        }
      )
  }
}

/** The provider has returned the order of an earlier request, to which no buyer can go: it may be paid. */
async function openKnown(ctx: Context, payment: PaymentRecord, answer: Answer): Promise<Answer> {
  if (answer.kind !== 'unknown' || answer.state === undefined) return answer
  await updateProviderState(ctx.db, payment, answer.state)
  return { kind: 'unreachable', message: answer.message }
}

/** After a restore a callback may have told what the driver finds the order with. */
async function withHeardState(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  const { accountId, providerReference, providerState } = payment
  const state = providerState ?? (await findUnknownOrderState(ctx.db, accountId, providerReference))
  if (state === null || state === providerState) return payment
  await updateProviderState(ctx.db, payment, state)
  return { ...payment, providerState: state }
}

export async function attemptOf(ctx: Context, account: Account, payment: PaymentRecord): Promise<Attempt> {
  const {
    providerReference: reference,
    merchantOrderId: orderReference,
    amountMinor,
    currency,
    locale,
    expiresAt,
    customer,
    metadata,
  } = payment
  const returnUrl = `${ctx.baseUrl}/checkout/${payment.id}/return`
  return {
    reference,
    orderReference,
    amountMinor,
    currency,
    merchantName: await findShownName(ctx, payment.merchantId, locale),
    description: await descriptionIn(ctx, payment, locale),
    returnUrl,
    callbackUrl: callbackUrlOf(ctx, account),
    expiresAt,
    customer,
    metadata,
  }
}

/** Returns what is stored of an open order. */
export function startedBy(opened: OpenOrder, payment: PaymentRecord): Started {
  return {
    providerState: opened.kind === 'hosted' ? null : (opened.state ?? null),
    providerCheckoutUrl: opened.kind === 'redirect' ? opened.url : null,
    providerForm: opened.kind === 'form' ? { action: opened.action, fields: opened.fields } : null,
    attemptExpiresAt: earlier(payment.expiresAt, opened.kind === 'hosted' ? undefined : opened.expiresAt),
  }
}

function earlier(left: Date, right: Date | undefined): Date {
  return right && right < left ? right : left
}

/** Returns the payment as it is stored now. */
export async function reread(ctx: Context, payment: PaymentRecord): Promise<PaymentRecord> {
  return (await findPayment(ctx.db, payment.merchantId, payment.id)) ?? payment
}
