/** The pay page: a product's own hosted page, for buyers whose browser does not run the widget. Showing it creates nothing. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { newId } from '../../id.ts'
import {
  findActiveInstallation,
  type InstallationRecord,
  resolveReturnUrl,
} from '../../merchants/installation.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import { findProductCached, type ProductRecord } from '../../merchants/product.ts'
import type { MerchantRoute } from '../../merchants/routes.ts'
import type { SaleTerms } from '../../merchants/sale-terms.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { refuseStopped } from '../account.ts'
import { isOpen, OVER_UNPAID } from '../status.ts'
import { type Buyer, noteBuyer, wantsEmail } from './buyer.ts'
import { findWhereItLeads, type LeadsTo } from './route-choice.ts'
import { sellProduct } from './widget.ts'

const RETURN_URL_MAX_CHARS = 300

/** What a pay page offers. Without a return URL the buyer stays on our page after paying. */
export type Offer = {
  installation: InstallationRecord
  product: ProductRecord
  merchantName: string
  returnUrl: string | null
  /** The client reference of the payment that a buyer may start from this page view. */
  freshReference: string
  /** The merchant wants the buyer's e-mail address. */
  asksEmail: boolean
  leadsTo: LeadsTo
  /** The routes between which the buyer chooses; empty if there is no choice. */
  routes: readonly MerchantRoute[]
}

/**
 * Returns the offer of a product's page. Returns null for an unknown or revoked key and for an unknown product, so that a
 * caller cannot tell these cases apart. `returnUrl`: taken from the page's address.
 * @throws AppError return_url_not_allowed; provider_unavailable while the merchant takes no payments
 */
export async function findOffer(
  ctx: Context,
  {
    publicKey,
    productId,
    returnUrl,
  }: { publicKey: string; productId: string; returnUrl: string | undefined },
): Promise<Offer | null> {
  const installation = await findActiveInstallation(ctx, publicKey)
  if (!installation) return null
  const { merchantId, origins } = installation
  await refuseStopped(ctx, merchantId)
  const [product, merchant, asksEmail] = await Promise.all([
    findProductCached(ctx, merchantId, productId),
    findMerchantCached(ctx, merchantId),
    wantsEmail(ctx, { merchantId, customer: null, singleAttempt: false }),
  ])
  if (!product || !merchant) return null
  if (returnUrl !== undefined && returnUrl.length > RETURN_URL_MAX_CHARS)
    throw new AppError('return_url_not_allowed')
  const requested = returnUrl === undefined ? null : resolveReturnUrl(returnUrl, { origins, base: undefined })
  return {
    installation,
    product,
    merchantName: merchant.name,
    returnUrl: requested ?? installation.returnUrl,
    asksEmail,
    ...(await findWhereItLeads(ctx, product, product.provider ?? installation.provider)),
    freshReference: newId(ctx.world, 'wgt', merchantId, ctx.clock.now()),
  }
}

/**
 * The buyer confirms the offer. One client reference creates one payment: a form that is sent twice, or again after the payment
 * is paid, finds the same payment, and may correct the e-mail address. `terms`: what the buyer has chosen; null where there is
 * nothing to choose.
 * @throws AppError those of createPayment
 */
export async function acceptOffer(
  ctx: Context,
  { installation, product, returnUrl }: Offer,
  reference: string,
  terms: SaleTerms | null,
  { address, ...buyer }: Buyer & { address: string },
): Promise<AttemptedPayment> {
  const clientReference = saleReference(reference, terms)
  const { payment, created } = await sellProduct(ctx, installation, {
    product,
    terms,
    returnUrl,
    clientReference,
    buyer,
    address,
    scope: 'POST /pay',
    isReleased: ({ status, attempt: { underWaySince } }) => OVER_UNPAID.includes(status) && !underWaySince,
  })
  return created ? payment : noteBuyer(ctx, payment, buyer, { replaces: true })
}

/** Returns the client reference. A buyer who goes back and chooses another amount wants another payment, not a replay of the first. */
export function saleReference(reference: string, terms: SaleTerms | null): string {
  return terms ? `${reference}.${terms.amountMinor}.${terms.quantity}` : reference
}

/** What a payment sells, for payments of buttons and pay pages. */
export type Sale = { merchantId: string; productId: string }

/** A payment that the same browser has begun for a product. `isPaid`: its money is taken or reserved. */
export type EarlierSale = { paymentId: string; clientReference: unknown; isPaid: boolean }

export function saleOf({ merchantId, productId }: Pick<Payment, 'merchantId' | 'productId'>): Sale | null {
  return productId === null ? null : { merchantId, productId }
}

export async function findSale(ctx: Context, paymentId: string): Promise<Sale | null> {
  const payment = await findPaymentById(ctx.db, paymentId)
  return payment && saleOf(payment)
}

/** Returns the payment if it sells this product and a buyer should know of it before paying again; else null. */
export async function findEarlierSale(
  ctx: Context,
  paymentId: string,
  { merchantId, productId }: Sale,
): Promise<EarlierSale | null> {
  const payment = await findPaymentById(ctx.db, paymentId)
  const sale = payment && saleOf(payment)
  if (!sale || sale.merchantId !== merchantId || sale.productId !== productId) return null
  const { id, status, expiresAt, metadata, attempt } = payment
  const isPaid = status === 'authorized' || status === 'paid'
  const isWaiting =
    attempt.underWaySince !== null ||
    (isOpen(status) && (status === 'status_unknown' || ctx.clock.now() < expiresAt))
  return isPaid || isWaiting ? { paymentId: id, clientReference: metadata?.clientReference, isPaid } : null
}
