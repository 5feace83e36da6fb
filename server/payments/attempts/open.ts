/**
 * An order for a buyer: the open one, the one that is being opened, or another one.
 * Rule: of several callers at once one opens the order. Nothing is opened before the provider has been asked about the last attempt,
 * nor after the payment's expiry.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { canExpire } from '../status.ts'
import { isOverAttempt } from './attempt.ts'
import { isCardTesting, rememberOpening } from './card-testing.ts'
import { beginOpening, type Opening } from './opening.ts'
import { mayGoOnOpening, reread } from './order.ts'
import { askAboutAttempt, askAboutPayment } from './question.ts'
import { askBeforeOpening } from './visit.ts'

/** How long a caller waits for another one that is opening the order. */
const WAIT_MS = 10_000
const POLL_MS = 50

/**
 * The buyer goes on to the provider. `route`: the buyer's choice; by default the route of the last attempt; null if the buyer still
 * has to choose. `address`: the buyer's.
 */
export async function openForBuyer(
  ctx: Context,
  found: AttemptedPayment,
  route: ProviderRoute | null = found.attempt.provider,
  address?: string,
): Promise<Opening> {
  const { payment, isDefinite } = await askBeforeOpening(ctx, found)
  // Without a definite answer the last order may have been paid meanwhile.
  if (!isDefinite && isOverAttempt(payment.attempt.state)) return { kind: 'busy', payment }
  const isAnother = payment.attempt.state !== 'open'
  if (isAnother && (await isCardTesting(ctx, { ...payment, address }, payment)))
    return { kind: 'busy', payment }
  if (isAnother) rememberOpening(ctx, address, payment.id)
  return openOrder(ctx, payment, route)
}

/** Opens the payment's order, or waits for the process that is opening it. */
export async function openOrder(
  ctx: Context,
  found: AttemptedPayment,
  route: ProviderRoute | null = found.attempt.provider,
): Promise<Opening> {
  const deadline = performance.now() + WAIT_MS
  for (let payment = found; ; ) {
    const opening = (await standingOf(ctx, payment)) ?? (await openOnce(ctx, payment, route))
    if (opening) return opening
    if (performance.now() >= deadline) return { kind: 'busy', payment }
    await sleep(POLL_MS)
    payment = await reread(ctx, payment)
  }
}

/** Returns null if an order is still to be opened. */
async function standingOf(ctx: Context, payment: AttemptedPayment): Promise<Opening | null> {
  const { status, expiresAt, attempt } = payment
  const { state, underWaySince } = attempt
  if (!canExpire(status)) return { kind: status === 'status_unknown' ? 'busy' : 'over', payment }
  if (ctx.clock.now() >= expiresAt) return { kind: 'over', payment }
  // The buyer has paid, as far as he can. A second order could take the money twice.
  if (underWaySince) return { kind: 'busy', payment }
  if (state === 'open') return { kind: 'open', payment }
  return state === 'paid' ? { kind: 'busy', payment } : null
}

/** Returns null when somebody else is opening the order, or has just changed the payment. */
async function openOnce(
  ctx: Context,
  payment: AttemptedPayment,
  route: ProviderRoute | null,
): Promise<Opening | null> {
  if (payment.attempt.state !== 'opening') {
    const begun =
      route === null ? { kind: 'choose' as const, payment } : await beginOpening(ctx, payment, route)
    if (begun?.kind !== 'answered') return begun
    const after = await askAboutPayment(ctx, await reread(ctx, payment), begun.answer)
    return (await standingOf(ctx, after)) ?? { kind: 'busy', payment: after }
  }
  if (!mayGoOnOpening(ctx, payment)) return { kind: 'busy', payment }
  if (payment.attempt.leaseUntil && ctx.clock.now() < payment.attempt.leaseUntil) return null
  const { payment: questioned, opening, isDefinite } = await askAboutAttempt(ctx, payment)
  // The order was left, and no other one follows it by itself.
  if (opening?.payment.attempt.state === 'lost') return null
  if (opening || !isDefinite) return opening ?? null
  return (await standingOf(ctx, questioned)) ?? { kind: 'busy', payment: questioned }
}
