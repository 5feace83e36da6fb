/** The calls that open an order at the provider. The caller holds the attempt's lease, so no other process can open the order. */
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import type { Context } from '../../context.ts'
import { referenceOf } from '../../id.ts'
import { findShownName } from '../../merchants/branding.ts'
import type { CheckoutRequest, LookUpResult, Snapshot, StartResult } from '../../providers/driver.ts'
import { type Account, keyLifetimeMs } from '../../providers/registry.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { noteOpeningSent } from '../../storage/payments/attempt-orders.ts'
import { type AttemptedPayment, type Payment, withAttempt } from '../../storage/payments/payment.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { updateProviderState } from '../../storage/payments/provider-orders.ts'
import { findUnknownOrderState } from '../../storage/restores/unknown-orders.ts'
import { isPayable, isUnderWay } from '../derived-status.ts'
import { callbackUrlOf } from '../provider-call.ts'
import { mayBeKnownAlready } from '../restored.ts'
import { canExpire } from '../status.ts'
import type { Started } from '../transition.ts'
import { askProvider } from './ask.ts'
import { isAddressLost, isNumberFresh } from './lost-order.ts'
import { isUnsent, sendToProvider, type Unanswered } from './send-to-provider.ts'
import { descriptionIn } from './sold-product.ts'

/**
 * `unsent`, `not_taken`: the request to open it was certainly not carried out. `unknown`: nobody knows whether there is an order.
 * `unreachable`: an order was opened, or may have been, but its checkout address is not known, so no buyer can be sent there.
 * `lost`: it was opened, its address was in the answer that was lost, and nobody has it. `taken`: the provider has an order of the same
 * number, which our database has lost with a restore.
 * `timed_out`: we stopped waiting, but the provider may still open the order.
 * `expired`: the provider has no order, and the payment's time has passed, so none is opened. `unopened`: the provider certainly has
 * no order, and the buyer may choose another route.
 */
export type Answer =
  | StartResult
  | Unanswered
  | { kind: 'unopened'; message: string }
  | { kind: 'expired' }
  | { kind: 'unreachable' | 'lost' | 'taken'; message: string }
export type OpenOrder = Exclude<StartResult, { kind: 'refused' | 'unknown' }>

/**
 * Stops waiting when half of the lease is left, also if the call starts late in the lease, and nothing is sent after that, even if
 * the process was stopped meanwhile. So nobody else can take the key while the call is running, nor soon after.
 */
async function openCheckout(ctx: Context, account: Account, payment: AttemptedPayment): Promise<Answer> {
  const request = await checkoutOf(ctx, account, payment)
  const { leaseUntil } = payment.attempt
  const sendUntil = new Date((leaseUntil?.getTime() ?? 0) - ctx.config.attemptLeaseSeconds * 500)
  const limits = limitsOfCall(account, 'opening')
  const timeoutMs = Math.min(limits.timeoutMs, sendUntil.getTime() - ctx.clock.now().getTime())
  if (timeoutMs <= 0)
    return { kind: 'unsent', message: 'too little of the lease was left to call the provider' }
  const { composeCheckout, startCheckout } = account.driver
  // To compose an order no provider is asked, so it shows nothing about the account.
  const right = startCheckout && { right: 'payment' as const }
  const calling = {
    lane: 'creation' as const,
    ...limits,
    timeoutMs,
    sendUntil,
    about: payment.id,
    ...right,
    // A reader of the log could send somebody to that address.
    hidesAddresses: account.driver.addressShownOnce ?? false,
  }
  return sendToProvider(ctx, account, calling, async (call) =>
    composeCheckout ? composeCheckout(call, request) : startCheckout(call, request),
  )
}

/** What a look-up brings back if the order is further than waiting for its buyer, or belongs to something else. */
export type Answered = { kind: 'answered'; answer: LookUpResult }

/**
 * Opens an order. `claim`: `new` if nobody has begun to open it. After a restore the provider may have the order already, so it is asked
 * first.
 */
export async function startOrder(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  claim: 'new' | 'resumed',
): Promise<Answer | Answered> {
  const isKnown = await mayBeKnownAlready(ctx, payment.attempt.begunAt)
  if (claim !== 'new' || isKnown) return resumeCheckout(ctx, account, payment, isKnown)
  const answer = await openCheckout(ctx, account, payment)
  // Nothing was ever sent about this order, so another route cannot make a second one that can be paid.
  if (!isUnsent(answer) || !payment.buyerChooses) return answer
  return { kind: 'unopened', message: answer.message }
}

/**
 * Opens an order that somebody may have opened before. The provider is asked for it first. The order of an expired payment is not opened.
 * `isKnown`: the order may have been opened before a restore, in other words.
 */
async function resumeCheckout(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
  isKnown: boolean,
): Promise<Answer | Answered> {
  const now = ctx.clock.now()
  const isExpired = now >= payment.expiresAt
  const isFresh = isKnown && (await isNumberFresh(ctx, account, payment))
  const open = async (): Promise<Answer> => {
    if (isExpired) return { kind: 'expired' }
    const { attempt } = payment
    const { leaseUntil } = attempt
    if (isFresh && leaseUntil) await noteOpeningSent(ctx.db, { ...attempt, leaseUntil }, leaseUntil)
    return openCheckout(ctx, account, payment)
  }
  const { lookUp, supportsAutoinit } = account.driver
  // Once the state is known, the order is found, and it may be further than waiting for its buyer.
  if (!isKnown && payment.attempt.providerState === null && mayRepeatStart(ctx, account, payment))
    return openKnown(ctx, payment.attempt, await open())
  // Without autoinit only the buyer's browser tells the provider of an order. So no order can have been opened yet.
  if (!lookUp) return supportsAutoinit ? unreachable('this provider cannot be asked') : open()
  const known = isKnown ? await withReportedState(ctx, payment) : payment
  const mayBeTaken = isFresh && payment.attempt.mayAppearUntil === null
  const answer = await askProvider(ctx, account, known, { lane: 'creation', mayBeTaken })
  const isTaken = answer.kind === 'found' || (answer.kind === 'unavailable' && answer.isTaken)
  if (isTaken && mayBeTaken)
    return { kind: 'taken', message: `the provider has another order ${payment.attempt.reference}` }
  switch (answer.kind) {
    case 'unavailable':
      // A provider that takes the same reference once opens no second order.
      if (isKnown && isStartKeyed(account) && !isExpired) return openKnown(ctx, payment.attempt, await open())
      return { kind: 'unsent', message: answer.message }
    case 'not_found':
      if (isUnsure(payment.attempt, now))
        return { kind: 'unsent', message: 'the provider may still be opening the order' }
      return payment.buyerChooses && !isExpired
        ? { kind: 'unopened', message: 'the provider has no order' }
        : open()
    case 'found':
      if (isFurther(answer.snapshot)) return { kind: 'answered', answer }
      if (answer.opened) return answer.opened
      if (await isAddressLost(ctx, account, payment, answer.snapshot))
        return {
          kind: 'lost',
          message: 'its address was lost: the order is left alone, and another one is opened',
        }
      return unreachable('its address is not known')
  }
}

/** Whether the provider still knows the key of the request that opened the order, so the same request opens the same order. */
export function mayRepeatStart(
  { clock }: Context,
  account: Account,
  { expiresAt, attempt: { begunAt } }: AttemptedPayment,
): boolean {
  const now = clock.now()
  return now < expiresAt && now.getTime() - begunAt.getTime() < keyLifetimeMs(account, 'start')
}

/** Whether the same request for the same reference opens one order. */
export const isStartKeyed = (account: Account): boolean => keyLifetimeMs(account, 'start') > 0

/** Whether an order that is being opened may still be opened. A charge may have been sent, so it is never opened for a buyer. */
export function mayGoOnOpening(
  ctx: Context,
  { status, singleAttempt, expiresAt, attempt: { state, underWaySince } }: AttemptedPayment,
): boolean {
  const isOpening = state === 'opening' && !singleAttempt && !underWaySince
  return isOpening && canExpire(status) && ctx.clock.now() < expiresAt
}

function isUnsure({ mayAppearUntil }: Attempt, now: Date): boolean {
  return mayAppearUntil !== null && now < mayAppearUntil
}

/** Returns whether the buyer has finished at the provider, as far as the answer says. */
function isFurther(snapshot: Snapshot): boolean {
  return !isPayable(snapshot) || snapshot.order === 'approved' || isUnderWay(snapshot)
}

const unreachable = (why: string): Answer => ({
  kind: 'unreachable',
  message: `the checkout may have been opened, and ${why}`,
})

/** The provider has returned the order of an earlier request, to which no buyer can go: it may be paid. It can be asked about now. */
async function openKnown(ctx: Context, attempt: Attempt, answer: Answer): Promise<Answer> {
  if (answer.kind === 'unknown' && 'state' in answer && answer.state !== undefined)
    await updateProviderState(ctx.db, attempt, answer.state)
  return answer
}

/** After a restore a callback may have told what the driver finds the order with. */
async function withReportedState(ctx: Context, payment: AttemptedPayment): Promise<AttemptedPayment> {
  const { accountId, reference, providerState } = payment.attempt
  const state = providerState ?? (await findUnknownOrderState(ctx.db, accountId, reference))
  if (state === null || state === providerState) return payment
  await updateProviderState(ctx.db, payment.attempt, state)
  return withAttempt(payment, { providerState: state })
}

export async function checkoutOf(
  ctx: Context,
  account: Account,
  payment: AttemptedPayment,
): Promise<CheckoutRequest> {
  const {
    merchantOrderId: orderReference,
    amountMinor,
    currency,
    locale,
    expiresAt,
    customer,
    metadata,
    attempt: { reference },
  } = payment
  const returnUrl = `${ctx.baseUrl}/checkout/${payment.id}/return`
  return {
    reference,
    orderReference,
    paymentReference: referenceOf(payment.id),
    amountMinor,
    currency,
    merchantName: await findShownName(ctx, payment.merchantId, locale),
    description: await descriptionIn(ctx, payment, locale),
    language: locale,
    returnUrl,
    callbackUrl: callbackUrlOf(ctx, account),
    expiresAt,
    customer,
    metadata,
  }
}

/** Returns what is stored of an open order. */
export function startedBy(opened: OpenOrder, payment: Payment): Started {
  return {
    providerState: opened.kind === 'hosted' ? null : (opened.state ?? null),
    checkoutUrl: opened.kind === 'redirect' ? opened.url : null,
    form: opened.kind === 'form' ? { action: opened.action, fields: opened.fields } : null,
    expiresAt: earlier(payment.expiresAt, opened.kind === 'hosted' ? undefined : opened.expiresAt),
  }
}

function earlier(left: Date, right: Date | undefined): Date {
  return right && right < left ? right : left
}

/** Returns the payment as it is stored now. */
export async function reread(ctx: Context, payment: AttemptedPayment): Promise<AttemptedPayment> {
  return (await findPayment(ctx.db, payment.merchantId, payment.id)) ?? payment
}
