/** Payments as rows: what a person recognises one by. On a wide screen they stand in columns. */
import type { PaymentStatus } from '../../contract/payment.ts'
import { shortNumber } from '../../id.ts'
import { zoneOf } from '../../merchants/branding.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, formatMoment, type Locale } from '../../pages/words/locale.ts'
import { findMerchant } from '../../storage/merchants/merchants.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { translate } from '../words/translate.ts'
import type { View } from '../world.ts'

/** The colour of each status. The word beside it says the same, for whoever does not see colours. */
const TONES: Record<PaymentStatus, 'good' | 'waiting' | 'unsure' | 'bad' | 'neutral'> = {
  created: 'neutral',
  pending_redirect: 'neutral',
  pending_payment: 'waiting',
  authorized: 'waiting',
  paid: 'good',
  partially_refunded: 'good',
  refunded: 'neutral',
  reversed: 'neutral',
  disputed: 'unsure',
  failed: 'bad',
  cancelled: 'neutral',
  expired: 'neutral',
  status_unknown: 'unsure',
}

/** Of the payments' shops. `name`: null for somebody who sees one shop. Times stand in the zone in which a shop's days begin. */
type Shops = ReadonlyMap<string, { name: string | null; timeZone: string }>

export async function shopsOf(view: View, payments: readonly AttemptedPayment[]): Promise<Shops> {
  const { ctx, merchantId, timeZone } = view
  if (merchantId !== null) return new Map([[merchantId, { name: null, timeZone }]])
  const ids = [...new Set(payments.map((each) => each.merchantId))]
  const shops = ids.map(async (id) => {
    const [shop, ownZone] = await Promise.all([findMerchant(ctx.db, id), zoneOf(ctx, id)])
    return [id, { name: shop?.name ?? id, timeZone: ownZone }] as const
  })
  return new Map(await Promise.all(shops))
}

export function paymentRows(
  locale: Locale,
  view: View,
  payments: readonly AttemptedPayment[],
  shops: Shops,
): Markup {
  const rowOf = (payment: AttemptedPayment) => {
    const shop = shops.get(payment.merchantId) ?? { name: null, timeZone: view.timeZone }
    return html`<li>${paymentRow(locale, view, payment, shop)}</li>`
  }
  return html`<ul class="rows payments">${payments.map(rowOf)}</ul>`
}

function paymentRow(
  locale: Locale,
  view: View,
  payment: AttemptedPayment,
  { name, timeZone }: { name: string | null; timeZone: string },
): Markup {
  const { id, amountMinor, capturedMinor, refundedMinor, currency, status, createdAt, customer } = payment
  const buyer = customer?.name ?? customer?.email
  const about = [boughtOf(payment), buyer, name].filter(Boolean)
  return html`<a href=${`/${view.world}/payments/${id}`} class="row" data-status=${status}>
    <strong>${formatAmount(amountMinor, currency, locale)}</strong>
    ${status === 'partially_refunded' ? html`<small class="left">${translate(locale, 'sumLeft', { sum: formatAmount(capturedMinor - refundedMinor, currency, locale) })}</small>` : null}
    ${stateBadge(locale, payment)}
    <span class="about">${about.map((text) => html`<bdi>${text}</bdi> `)}</span>
    <span class="hint short-number">${shortNumber(id)}</span>
    <span class="hint">${whenText(locale, view, createdAt, timeZone)}</span>
  </a>`
}

/** Of today only the time, as people say it. The zone is named where the rows have several. */
function whenText(locale: Locale, { ctx, zones }: View, at: Date, timeZone: string): string | undefined {
  const dayOf = (each: Date) => each.toLocaleDateString('en', { timeZone })
  const hasDay = dayOf(at) !== dayOf(ctx.clock.now())
  return formatMoment(at.toISOString(), locale, { timeZone, hasDay, isZoneKnown: zones.length === 1 })
}

/** The status in a word and a colour. */
export const stateBadge = (locale: Locale, payment: Pick<AttemptedPayment, 'status' | 'attempt'>): Markup =>
  html`<span class="state" data-tone=${TONES[payment.status]}>${translate(locale, statusWord(payment))}</span>`

/** A payment of a button has a number of its own making, which nobody knows. */
const boughtOf = ({ description, productId, merchantOrderId }: AttemptedPayment): string =>
  description ?? productId ?? merchantOrderId

type StatusWord = `status_${PaymentStatus}` | 'statusAtBank' | 'statusDeclined'

/** A payment that is not paid yet is one of three things, and each asks for something else of a shop. */
function statusWord({ status, attempt }: Pick<AttemptedPayment, 'status' | 'attempt'>): StatusWord {
  if (status !== 'pending_payment') return `status_${status}`
  if (attempt.underWaySince !== null) return 'statusAtBank'
  return attempt.state === 'declined' ? 'statusDeclined' : 'status_pending_payment'
}
