/** Payment links: a payment with its own page, whose address can be sent, printed or scanned. */

import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import { CURRENCIES } from '../../contract/currencies.ts'
import type { CurrencyCode } from '../../contract/fields.ts'
import { PROOF_OF_PAYMENT } from '../../contract/fields.ts'
import { readDateTime } from '../../contract/formats.ts'
import {
  type CreatePaymentLinkRequest,
  LinkAmount,
  LinkExpiry,
  type PaymentLinkResponse,
} from '../../contract/link.ts'
import { AppError } from '../../errors.ts'
import { ID_BODY, worldPrefix } from '../../id.ts'
import { translate } from '../../messages/translate.ts'
import { findIdempotencyKey, type KeyAddress } from '../../storage/payments/idempotency-keys.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { fingerprint } from '../idempotency.ts'
import { isWholeUnits, parseAmount } from '../money.ts'
import { type Asker, scopeOf } from '../operation-request.ts'
import { normalizedUrl } from '../return-url.ts'
import { checkoutUrl, presentPayment } from '../view.ts'
import { type Checkout, findCheckout } from './checkout.ts'
import { createPayment } from './create.ts'

const SCOPE = 'POST /v1/payment-links'
const DAY_MS = 86_400_000
const EXPIRY_MAX_DAYS = 90
/** 20 characters of base 32 carry 100 bits, the same as 25 hexadecimal digits. */
const ORDER_HEX_CHARS = 25
const ORDER_CHARS = 20

/**
 * Creates a payment link, or replays it. `checkLinkTerms` has accepted the request.
 * @throws AppError those of createPayment
 */
export async function createLink(
  ctx: Context,
  given: Asker & { request: CreatePaymentLinkRequest },
): Promise<PaymentLinkResponse> {
  const { merchantId, idempotencyKey: key, request } = given
  const { currency, description, providerRoute, customer, metadata } = request
  const terms = {
    amountMinor: amountOf(request),
    currency,
    description,
    providerRoute,
    customer,
    metadata,
    merchantOrderId: request.merchantOrderId ?? deriveOrderId(ctx, merchantId, scopeOf(given, key)),
    returnUrl: request.returnUrl ?? null,
    expiresAt: timeOf(request.expiresAt)?.toISOString() ?? null,
  }
  const address = { merchantId, scope: scopeOf(given, SCOPE), key }
  const now = ctx.clock.now().getTime()
  const expiresAt = timeOf(request.expiresAt) ?? new Date(now + ctx.config.linkTtlSeconds * 1000)
  const digest = fingerprint({ ...terms, returnUrl: normalizedUrl(terms.returnUrl) })
  const claim = { ...address, fingerprint: digest, isReleased: () => false }
  const { payment, created } = await createPayment(ctx, claim, {
    ...terms,
    merchantId,
    expiresAt,
    opensLater: true,
    provider: providerRoute,
    routeField: 'providerRoute',
    amountField: 'amount',
  })
  return presentLink(ctx, payment, created)
}

/** Returns the amount in minor units. @throws AppError validation_failed, amount_mismatch */
function amountOf({
  amount,
  amountMinor,
  currency,
}: Pick<CreatePaymentLinkRequest, 'amount' | 'amountMinor' | 'currency'>): number {
  // String() returns the shortest decimal for a JSON number, which is what the sender wrote. Numbers such as 1e21 and 1e-7
  // keep their exponent, and parseAmount rejects an exponent.
  const minor = parseAmount(typeof amount === 'number' ? String(amount) : amount, currency)
  if (CURRENCIES[currency].isWhole && !isWholeUnits(minor, currency)) throw notWhole(currency)
  if (Number.isSafeInteger(amountMinor) && amountMinor !== minor)
    throw new AppError('amount_mismatch', {
      errors: { amountMinor: translate('en', 'errors.amount.disagrees', { minor }) },
    })
  return minor
}

function notWhole(currency: CurrencyCode): AppError {
  const message = translate('en', 'errors.amount.whole', { currency })
  return new AppError('validation_failed', { message, errors: { amount: message } })
}

/**
 * Returns `lnk_` (`lnk_test_` in the sandbox) and 20 characters of base 32, derived from the merchant and the key. So each
 * retry gets the same order id, and no other request does.
 */
function deriveOrderId({ world }: Context, merchantId: string, key: string): string {
  const digest = createHash('sha256').update(`${merchantId}\n${key}`).digest('hex').slice(0, ORDER_HEX_CHARS)
  return `${worldPrefix(world, 'lnk')}${BigInt(`0x${digest}`).toString(32).padStart(ORDER_CHARS, '0')}`
}

const timeOf = (text: string | undefined) => (text === undefined ? null : readDateTime(text))

/**
 * Checks what the schema of a link's request cannot say: the amount in its currency, the agreement of both amounts, and the time.
 * Skips a field that the schema rejects.
 * @throws AppError validation_failed or amount_mismatch, with every wrong field
 */
export async function checkLinkTerms(
  ctx: Context,
  {
    merchantId,
    idempotencyKey: key,
    by,
    body,
  }: { merchantId: string; idempotencyKey: string | undefined; by?: string; body: unknown },
): Promise<void> {
  const amounts = LinkAmount.safeParse(body)
  const expiry = LinkExpiry.safeParse(body)
  const address = key === undefined ? null : { merchantId, scope: scopeOf({ by }, SCOPE), key }
  const problem = expiry.success
    ? await expiryProblem(ctx, readDateTime(expiry.data.expiresAt), address)
    : null
  const errors = problem ? { expiresAt: problem } : {}
  try {
    if (amounts.success) amountOf({ ...amounts.data, ...(body as { amountMinor?: number }) })
  } catch (error) {
    if (!(error instanceof AppError) || !problem) throw error
    throw new AppError('validation_failed', { errors: { ...error.details.errors, ...errors } })
  }
  if (problem) throw new AppError('validation_failed', { errors })
}

/**
 * Returns why a link may not expire at this time; null if it may. A known key skips the check, because a retry may come after the
 * link has expired and must still get its replay.
 */
async function expiryProblem(
  ctx: Context,
  expiresAt: Date | null,
  address: KeyAddress | null,
): Promise<string | null> {
  const fromNowMs = (expiresAt?.getTime() ?? 0) - ctx.clock.now().getTime()
  const problem =
    fromNowMs <= 0
      ? translate('en', 'errors.expiry.past')
      : fromNowMs > EXPIRY_MAX_DAYS * DAY_MS &&
        translate('en', 'errors.expiry.far', { days: EXPIRY_MAX_DAYS })
  return problem && !(address && (await findIdempotencyKey(ctx.db, address))) ? problem : null
}

const LINK_ID = new RegExp(`^lnk_(test_)?${ID_BODY}$`)

/** A link's id is its payment's id with another prefix. */
const linkIdOf = (paymentId: string) => paymentId.replace(/^pay_/, 'lnk_')

export function linkUrl(ctx: { baseUrl: string }, paymentId: string): string {
  return `${ctx.baseUrl}/link/${linkIdOf(paymentId)}`
}

function presentLink(ctx: Context, record: AttemptedPayment, created: boolean): PaymentLinkResponse {
  const payment = presentPayment(ctx, record)
  const paymentUrl = linkUrl(ctx, record.id)
  return {
    ok: true,
    created,
    linkId: linkIdOf(record.id),
    paymentId: record.id,
    paymentUrl,
    checkoutUrl: checkoutUrl(ctx, record.id),
    ...(payment.providerCheckoutUrl && { providerCheckoutUrl: payment.providerCheckoutUrl }),
    expiresAt: record.expiresAt.toISOString(),
    status: record.status,
    qr: { type: 'url', value: paymentUrl, proofOfPayment: PROOF_OF_PAYMENT },
    payment,
  }
}

/**
 * Returns the link's payment for its hosted page; null when there is no such link. The link id is the only secret: anybody who knows it
 * may see the page.
 */
export async function findLink(ctx: Context, linkId: string): Promise<Checkout | null> {
  if (!LINK_ID.test(linkId)) return null
  return findCheckout(ctx, linkId.replace(/^lnk_/, 'pay_'))
}
