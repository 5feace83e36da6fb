/** The buyer's way through a payment: the hosted page, the redirect to the provider, and the return from there. */
import { findAccount, findStopped } from '../../accounts/choice.ts'
import { isOfAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import type { AskedFields } from '../../merchants/product.ts'
import type { MerchantRoute } from '../../merchants/routes.ts'
import type { Language } from '../../storage/merchants/branding.ts'
import type { Attempt, AttemptState } from '../../storage/payments/attempt.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findHoldingPayment, findPaymentById, type HoldingPayment } from '../../storage/payments/payments.ts'
import { type AttemptFacts, isOverAttempt } from '../attempts/attempt.ts'
import { leaveIfSafe } from '../attempts/leave.ts'
import { openForBuyer } from '../attempts/open.ts'
import { askAtReturn, askIfStale, forgetEarlierTry } from '../attempts/visit.ts'
import { findAgain } from '../restored/lost-order.ts'
import { canExpire, isOpen, OVER_UNPAID } from '../status.ts'
import { type TransferInstructions, transferOf } from '../transfers/transfer.ts'
import { type Buyer, isToBeOpened, noteBuyer, wantsEmail } from './buyer.ts'
import { answersToKeep, fieldsToAsk, owesAnswer } from './product-fields.ts'
import { type LeadsTo, leadsTo, listChoices } from './route-choice.ts'
import { onwardUrl } from './shop-address.ts'

export type { HoldingPayment }

export type Checkout = {
  payment: AttemptedPayment
  merchantName: string
  /** When the payment was first authorized or paid. */
  paidAt: Date | null
  /** Another payment that has, or may have, this order's money. Only looked up while this payment has none. */
  paidOtherwise: HoldingPayment | null
  /** True when the time to pay has passed and the provider has not confirmed the outcome yet. The page then asks nobody to pay. */
  isOver: boolean
  /** True when the buyer can go on: to the open order, or to one that is opened when the buyer does. */
  canGoOn: boolean
  /** How the buyer's last try ended, if the buyer may try again. */
  ended: Ended | null
  /** The routes between which the buyer chooses before going on; empty where there is nothing to choose. */
  choices: readonly MerchantRoute[]
  /** The buyer has gone on to one provider, and the merchant has another way to pay. */
  hasOtherWay: boolean
  /** None of the routes between which the buyer could choose can be used now, or the merchant takes no new payments. */
  hasNoRoute: boolean
  /** The merchant wants the buyer's e-mail address before the next order is opened. */
  asksEmail: boolean
  /** The product's fields that the buyer has to see before the next order is opened. */
  asks: AskedFields
  /** What the buyer comes to next. */
  leadsTo: LeadsTo
  /** What the buyer needs for a transfer; null where the buyer pays in another way, or has to choose one first. */
  transfer: TransferInstructions | null
}

/**
 * `declineCategory`: what the buyer should do, where the provider says so. `open`: the buyer's card was declined, and the order
 * goes on.
 */
export type Ended = { state: AttemptState; declineCategory: AttemptFacts['declineCategory'] }

/**
 * Returns the payment for its hosted page; null when there is no such payment. Asks the provider first if the payment is open. The
 * payment id is the only secret: anybody who knows it may see the page.
 */
export async function findCheckout(ctx: Context, paymentId: string): Promise<Checkout | null> {
  const payment = (await findPaymentById(ctx.db, paymentId)) ?? (await findAgain(ctx, paymentId))
  return payment && readCheckout(ctx, await askIfStale(ctx, payment, 'stranger'))
}

/** Returns the payment as it is stored, without asking anybody; null when there is no such payment. */
export function findCheckoutPayment(ctx: Context, paymentId: string): Promise<AttemptedPayment | null> {
  return findPaymentById(ctx.db, paymentId)
}

async function readCheckout(ctx: Context, payment: AttemptedPayment): Promise<Checkout> {
  const [merchant, paidAt, paidOtherwise, offered, isWanted, fields, stopped] = await Promise.all([
    findMerchantCached(ctx, payment.merchantId),
    findPaidAt(ctx, payment),
    hasNoMoney(payment) ? findHoldingPayment(ctx.db, payment) : null,
    canExpire(payment.status) ? listChoices(ctx, payment) : [],
    isToBeOpened(payment) && wantsEmail(ctx, payment),
    fieldsToAsk(ctx, payment),
    isToBeOpened(payment) && findStopped(ctx, payment.merchantId),
  ])
  const isOver = canExpire(payment.status) && ctx.clock.now() >= payment.expiresAt
  const canGoOn = canExpire(payment.status) && !isOver && !payment.attempt.underWaySince && leadsOn(payment)
  const ended = canGoOn ? endOf(payment.attempt) : null
  // The buyer reads by which route the payment goes on, if it is not the one of before.
  const isOther = offered.some(({ route }) => route !== payment.attempt.provider)
  const isChoosing = canGoOn && isToBeOpened(payment)
  const choices = isChoosing && (offered.length > 1 || isOther) ? offered : []
  const hasOtherWay = canGoOn && isOther && payment.attempt.state === 'open' && !paidOtherwise
  const mayChooseNone = payment.buyerChooses && isToBeOpened(payment) && offered.length === 0
  const hasNoRoute = canGoOn && (mayChooseNone || Boolean(stopped))
  const merchantName = merchant?.name ?? ''
  const asksEmail = canGoOn && isWanted && !stopped
  const account = choices.length === 0 ? await findAccount(ctx, payment.attempt.accountId) : null
  const transfer = account && transferOf(account, payment)
  const next = choices.length > 0 ? 'choice' : leadsTo(account)
  const asks = canGoOn && !stopped ? fields : {}
  const state = {
    isOver,
    canGoOn,
    ended,
    choices,
    hasOtherWay,
    hasNoRoute,
    asksEmail,
    asks,
    leadsTo: next,
    transfer,
  }
  return { payment, merchantName, paidAt, paidOtherwise, ...state }
}

const hasNoMoney = ({ status }: Payment) => canExpire(status) || OVER_UNPAID.includes(status)

/** Some providers keep an order open after a decline. The buyer then tries another card in the same order. */
function endOf({ state, facts }: Attempt): Ended | null {
  const declineCategory = (facts as AttemptFacts | null)?.declineCategory
  if (isOverAttempt(state)) return { state, declineCategory }
  return state === 'open' && declineCategory ? { state, declineCategory } : null
}

/** What our own page says alone, on the manual route, is open and leads nowhere. */
function leadsOn({ singleAttempt, attempt: { state, checkoutUrl, form } }: AttemptedPayment): boolean {
  if (state === 'open') return checkoutUrl !== null || form !== null
  return state !== 'paid' && !singleAttempt
}

async function findPaidAt(ctx: Context, { merchantId, id, status }: Payment): Promise<Date | null> {
  if (isOpen(status) || OVER_UNPAID.includes(status)) return null
  const changes = await listPaymentChanges(ctx.db, merchantId, id)
  return changes.find(({ toStatus }) => toStatus === 'authorized' || toStatus === 'paid')?.createdAt ?? null
}

/**
 * Returns the value that a buyer must send in order to pay for an order that another payment has already paid. The value
 * changes with that other payment, so it proves that the buyer saw the current warning.
 */
export function confirmationOf({ updatedAt }: HoldingPayment): string {
  return updatedAt.toISOString()
}

/** The provider's address. `fields`: what a form must post there; null if a link is enough. */
export type Onward = { url: string; fields: Record<string, string> | null }

/**
 * The buyer presses the pay button, or *Try again*. The provider is always asked first, because the buyer may have paid in another
 * tab while this page was open. Then an order is opened if none is. Returns the provider's address to go to. Returns null when the
 * payment can no longer be paid, when the buyer has to choose a route first, when the provider has no order to go to now, or when
 * another payment has paid the order and the buyer's `confirmation` does not match it, or when the merchant wants an e-mail address
 * or a field that the buyer has not given. `chosen`: the route that the buyer chose.
 * Also returns null while no order may be opened because of too many declines. `address`: the buyer's IP address.
 * Our own page then says how the payment stands. Returns `not_ready` when the merchant may not use the route now.
 */
export async function goToProvider(
  ctx: Context,
  paymentId: string,
  {
    confirmation,
    chosen,
    address,
    ...buyer
  }: Buyer & { confirmation?: string | undefined; chosen?: string | undefined; address?: string },
): Promise<Onward | 'not_ready' | null> {
  const seen = await findPaymentById(ctx.db, paymentId)
  if (!seen) return null
  const found = await noteBuyer(ctx, seen, {
    ...buyer,
    email: (await wantsEmail(ctx, seen)) ? buyer.email : undefined,
    answers: await answersToKeep(ctx, seen, buyer.answers),
  })
  const { paidOtherwise, asksEmail, asks } = await readCheckout(ctx, found)
  if (paidOtherwise && confirmationOf(paidOtherwise) !== confirmation) {
    await askIfStale(ctx, found, 'stranger')
    return null
  }
  if (asksEmail || owesAnswer(asks)) return null
  const { kind, payment, refused } = await openForBuyer(
    ctx,
    found,
    await routeFor(ctx, found, chosen),
    address,
  )
  if (kind === 'not_ready' || (refused && isOfAccount(refused))) return 'not_ready'
  if (kind !== 'open') return null
  await forgetEarlierTry(ctx, payment)
  const { checkoutUrl, form } = payment.attempt
  if (checkoutUrl) return { url: checkoutUrl, fields: null }
  return form && { url: form.action, fields: form.fields }
}

/**
 * The buyer wants to pay in another way than the one that was begun. Returns until when the open order is kept, because it may still bring
 * money. Returns null if there is none any more: the buyer chooses again, or the payment has ended meanwhile.
 */
export async function payAnotherWay(ctx: Context, paymentId: string): Promise<Date | null> {
  const found = await findPaymentById(ctx.db, paymentId)
  if (!found || !(await readCheckout(ctx, found)).hasOtherWay) return null
  const { status, attempt } = await leaveIfSafe(ctx, found)
  return canExpire(status) && attempt.state === 'open' && !attempt.underWaySince ? attempt.expiresAt : null
}

/** Returns the route of the next order; null if the buyer has to choose it. Only a route that is offered counts as chosen. */
async function routeFor(
  ctx: Context,
  payment: AttemptedPayment,
  chosen: string | undefined,
): Promise<ProviderRoute | null> {
  const offered = await listChoices(ctx, payment)
  if (offered.length === 0) return payment.attempt.provider
  const only = offered.length === 1 ? offered[0] : undefined
  return (only ?? offered.find(({ route }) => route === chosen))?.route ?? null
}

/**
 * The buyer comes back from the provider. The provider is asked while money can still come, but for one payment only every few
 * seconds, because anybody who knows the address can call it as often as they like. `url`: the merchant's address, for a buyer
 * who has paid; null if the payment is not paid or has no return URL, and our own page then shows how the payment stands. Returns
 * null if there is no such payment.
 */
export async function returnFromProvider(
  ctx: Context,
  paymentId: string,
  locale: Language,
): Promise<{ url: string | null } | null> {
  const known = await findPaymentById(ctx.db, paymentId)
  const seen = known ?? (await findAgain(ctx, paymentId, { isReturn: true }))
  const payment = seen && (seen.locale ? seen : await noteBuyer(ctx, seen, { locale }))
  return payment && { url: onwardUrl(await askAtReturn(ctx, payment)) }
}
