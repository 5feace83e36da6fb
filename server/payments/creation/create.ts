/**
 * Creates a payment: one statement stores the key, the payment and its first attempt. Then the attempt's order is opened, see
 * `attempts/opening.ts`. After a crash in between the key still points to its payment, so a retry or the worker goes on.
 */
import { recallHealth } from '../../accounts/health.ts'
import type { Context } from '../../context.ts'
import type { CurrencyCode, Customer, Metadata, ProviderRoute } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import { idNamed } from '../../id.ts'
import type { Account } from '../../providers/registry.ts'
import type { Queryable } from '../../storage/db.ts'
import type { Language } from '../../storage/merchants/branding.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import type { AttemptedPayment, Payment, Sold } from '../../storage/payments/payment.ts'
import { type AmountField, accountFor, type RouteRequest, refuseAmount } from '../account.ts'
import { newAttempt } from '../attempts/lease.ts'
import { openOrder } from '../attempts/open.ts'
import { openBegun } from '../attempts/opening.ts'
import { reread } from '../attempts/order.ts'
import { askAboutPayment } from '../attempts/question.ts'
import { allocateReference, nameOfUse } from '../attempts/reference.ts'
import { claimKey, findReplay, type KeyClaim } from '../idempotency.ts'
import { keptSecondsOf } from '../transfers/transfer.ts'
import { wantsEmail } from './buyer.ts'
import { findRouteChoice, type RouteChoice } from './route-choice.ts'
import { answerOf, composeStart, isToBeStarted, planOrder, planStart } from './start.ts'

/** What the caller decides about a new payment. */
export type Draft = {
  merchantId: string
  merchantOrderId: string
  amountMinor: number
  currency: CurrencyCode
  /** Undefined: the buyer chooses between the merchant's routes; without such a setting the service's default route. */
  provider: ProviderRoute | undefined
  /** The request's name for the route, used in field errors. */
  routeField?: 'provider' | 'providerRoute'
  /** The request's name for the amount, used in field errors. */
  amountField?: AmountField
  description?: string | undefined
  returnUrl: string | null
  /** Where *Back to the shop* leads; undefined: to `returnUrl`. */
  shopUrl?: string | null
  customer?: Customer | undefined
  /** The buyer's language, where the buyer's browser makes the payment. */
  locale?: Language | null
  metadata?: Metadata | undefined
  /** Left out where the service sells neither a product of the registry nor a period of a subscription. */
  sold?: Partial<Sold>
  expiresAt?: Date | undefined
  /** True for a link: the provider is told when the buyer goes on. */
  opensLater?: true
  /** True where our own page first asks the buyer for the fields of a product. */
  asksFirst?: boolean
  /** True for a charge of a saved method. */
  singleAttempt?: true
  /** For a test of this account: every merchant may use it. */
  account?: Account
}

/**
 * Creates the payment for `claim`'s key, or finds the payment that the key created earlier. Safe to repeat, also concurrently
 * and after any crash. Returns `created: false` for a replay.
 * @throws AppError those of accountFor and claimKey; provider_unavailable, after which the same key may be used again.
 */
export async function createPayment(
  ctx: Context,
  claim: KeyClaim,
  draft: Draft,
): Promise<{ payment: AttemptedPayment; created: boolean }> {
  const { first: fallback, offered, isChoice } = hasRoute(draft) ? NAMED : await findRouteChoice(ctx, draft)
  const account = await accountOf(ctx, { ...draft, fallback })
  if (account instanceof AppError) {
    const payment = await findReplay(ctx, claim)
    if (payment && isToBeStarted(payment) && isRefused(ctx, payment.attempt))
      return open(ctx, { payment, begunAt: null }, draft)
    if (!payment || payment.status === 'created') throw account
    return { payment, created: false }
  }
  const plan = async (use: number) => {
    const name = await nameOfUse(ctx, claim, use)
    const payment = await newPayment(ctx, ctx.db, account, draft, name)
    payment.buyerChooses = isChoice
    // The provider should get the buyer's address together with the order.
    const waits = draft.opensLater || (await wantsEmail(ctx, payment))
    const start = waits ? planStart : composeStart
    return offered.length > 1 || draft.asksFirst ? planOrder(payment) : start(ctx, account, payment)
  }
  const isLookedForFirst = account.driver.orderNumbers !== undefined
  const { kind, payment: claimed } = await claimKey(ctx, { ...claim, isLookedForFirst }, plan)
  if (kind === 'new') countCreated(ctx, claimed)
  if (!isToBeStarted(claimed)) return { payment: claimed, created: kind === 'new' }
  return open(ctx, { payment: claimed, begunAt: kind === 'new' ? account : null }, draft)
}

/** A provider that refused the account may accept it again by now, so a repeated request asks again. */
function isRefused(ctx: Context, { accountId }: Attempt): boolean {
  return recallHealth(ctx, accountId).state === 'refusing'
}

/** `begunAt`: the account at which this call has begun to open the order; null if an earlier call has. */
async function open(
  ctx: Context,
  { payment, begunAt }: { payment: AttemptedPayment; begunAt: Account | null },
  { amountField }: Draft,
): Promise<{ payment: AttemptedPayment; created: boolean }> {
  const opening = begunAt ? await openBegun(ctx, begunAt, payment) : await openOrder(ctx, payment)
  if (opening.kind !== 'answered') return answerOf(ctx, opening, amountField)
  // An order that was made before a restore: the payment goes on where the provider is.
  return { payment: await askAboutPayment(ctx, await reread(ctx, payment), opening.answer), created: true }
}

function countCreated(ctx: Context, { status, attempt: { provider } }: AttemptedPayment): void {
  ctx.metrics.paymentCreated(provider)
  if (status !== 'created') ctx.metrics.statusChanged(status, 'request')
}

const NAMED: RouteChoice = { first: undefined, offered: [], isChoice: false }

/** A named route leaves nothing to choose, whatever the merchant's setting says. */
const hasRoute = ({ provider, singleAttempt }: Draft) => provider !== undefined || singleAttempt === true

/** Returns the error instead of throwing it: a route that is not ready creates nothing new, but its replays still work. */
async function accountOf(
  ctx: Context,
  draft: RouteRequest & Pick<Draft, 'account'>,
): Promise<Account | AppError> {
  try {
    if (!draft.account) return await accountFor(ctx, draft)
    refuseAmount(draft.account, draft)
    return draft.account
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/**
 * Returns a new payment record. It is not stored yet, and the provider does not know of it. `name`: of its first order; see
 * `reference.ts`.
 */
export async function newPayment(
  ctx: Context,
  db: Queryable,
  account: Account,
  draft: Draft,
  name: string,
): Promise<AttemptedPayment> {
  const now = ctx.clock.now()
  const lastsSeconds = keptSecondsOf(account) ?? ctx.config.sessionTtlSeconds
  const id = idNamed(ctx.world, 'pay', draft.merchantId, now, name)
  const payment: Payment = {
    merchantId: draft.merchantId,
    id,
    merchantOrderId: draft.merchantOrderId,
    ownAttempt: 1,
    singleAttempt: draft.singleAttempt ?? false,
    buyerChooses: false,
    amountMinor: draft.amountMinor,
    currency: draft.currency,
    authorizedMinor: 0,
    capturedMinor: 0,
    refundedMinor: 0,
    refundReservedMinor: 0,
    status: 'created',
    fiscalStatus: 'not_required',
    version: 0,
    description: draft.description ?? null,
    returnUrl: draft.returnUrl,
    shopUrl: draft.shopUrl ?? null,
    customer: draft.customer ?? null,
    locale: draft.locale ?? null,
    metadata: draft.metadata ?? null,
    productId: draft.sold?.productId ?? null,
    quantity: draft.sold?.quantity ?? null,
    periodStart: draft.sold?.periodStart ?? null,
    periodEnd: draft.sold?.periodEnd ?? null,
    expiresAt: draft.expiresAt ?? new Date(now.getTime() + lastsSeconds * 1000),
    createdAt: now,
    updatedAt: now,
    merchantCancelledAt: null,
  }
  return {
    ...payment,
    attempt: newAttempt(ctx, payment, account, await allocateReference(ctx, db, account, name)),
  }
}
