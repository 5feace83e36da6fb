/** Presents a stored payment to the outside. */
import type { Metadata } from '../contract/fields.ts'
import type { World } from '../contract/health.ts'
import { LANGUAGES, type Language } from '../contract/languages.ts'
import type { PaymentSession } from '../contract/payment.ts'
import { writeDateTime } from '../storage/date-time.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { isOpen } from './status.ts'

/** Returns the language that a session or a saving names for its page, in `metadata.locale`; null for one that no page has. */
export function localeIn(metadata: Metadata | null | undefined): Language | null {
  const wanted = metadata?.locale
  const [tag = ''] = typeof wanted === 'string' ? wanted.trim().toLowerCase().split(/[-_]/) : []
  return Object.hasOwn(LANGUAGES, tag) ? (tag as Language) : null
}

export function checkoutUrl(ctx: { baseUrl: string }, paymentId: string): string {
  return `${ctx.baseUrl}/checkout/${paymentId}`
}

/** The payment's page, in the language that the session names. */
function pageOf(ctx: { baseUrl: string }, { id, metadata }: AttemptedPayment): string {
  const locale = localeIn(metadata)
  return locale ? `${checkoutUrl(ctx, id)}?${new URLSearchParams({ locale })}` : checkoutUrl(ctx, id)
}

/**
 * Returns the contract's PaymentSession. `providerCheckoutUrl` is included only while the payment can still be paid there.
 * `processingSince`: the buyer has finished, and the provider is still working.
 */
export function presentPayment(
  ctx: { baseUrl: string; world: World },
  record: AttemptedPayment,
): PaymentSession {
  const { attempt } = record
  const { underWaySince } = attempt
  const isPayable = attempt.state === 'open' && !underWaySince && isOpen(record.status)
  // A field that is absent is undefined here and left out of the JSON: spreading optional parts takes several times as long.
  return {
    ok: true,
    id: record.id,
    merchantOrderId: record.merchantOrderId,
    provider: attempt.provider,
    amountMinor: record.amountMinor,
    currency: record.currency,
    status: record.status,
    fiscalStatus: record.fiscalStatus,
    livemode: ctx.world === 'live',
    capturedMinor: record.capturedMinor,
    refundedMinor: record.refundedMinor,
    checkoutUrl: pageOf(ctx, record),
    providerCheckoutUrl: (isPayable && attempt.checkoutUrl) || undefined,
    processingSince: underWaySince?.toISOString(),
    customer: record.customer ?? undefined,
    metadata: record.metadata ?? undefined,
    createdAt: writeDateTime(record.createdAt),
    updatedAt: writeDateTime(record.updatedAt),
  }
}
