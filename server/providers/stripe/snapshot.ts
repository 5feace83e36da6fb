/** Translates Stripe's objects about an order into our words. It sends no request. */
import { CurrencyCode } from '../../contract/fields.ts'
import { netDisputes } from '../driver/disputes.ts'
import { createWordReader, type WordReader } from '../driver/words.ts'
import type { Instrument, NamedRefund, Snapshot, Standing } from '../driver.ts'
import { meaningOf } from './declines.ts'
import { disputesOf } from './disputes.ts'
import {
  type Charge,
  type Dispute,
  type Intent,
  OPERATION,
  REFERENCE,
  type Refund,
  type Session,
} from './shapes.ts'
import {
  CHARGE_WORDS,
  INTENT_WORDS,
  PAID_WORDS,
  REFUND_REASONS,
  REFUND_WORDS,
  SESSION_WORDS,
} from './words.ts'

/** An order without a session is a charge of a saved method. `refunds` and `disputes` are complete. */
export type StripeOrder = {
  session: Session | null
  intent: Intent | null
  refunds: readonly Refund[]
  disputes: readonly Dispute[]
  /** A session that is complete and unpaid may have a hold: its account holds money first, or its payment intent was seen before. */
  mayHold?: boolean
}

/** @throws Error if an object is missing that belongs to the money that the others show */
export function snapshotOf(picture: StripeOrder): Snapshot {
  const { session, intent, disputes } = picture
  const charge = chargeOf(intent)
  expectWhole(picture, charge)
  const own = session?.client_reference_id ?? session?.metadata?.[REFERENCE] ?? intent?.metadata?.[REFERENCE]
  const capturedMinor = intent?.amount_received ?? 0
  const given = refundsOfCaptured(picture, charge)
  const reader = createWordReader()
  const standing = standingOf(picture, charge, reader)
  const returned = given.map((refund) => nameOf(refund, reader))
  const sumBy = (state: NamedRefund['state']) =>
    returned.reduce((sum, each) => (each.state === state ? sum + each.amountMinor : sum), 0)
  for (const { reason } of picture.refunds)
    if (reason) reader.read('refund reason', REFUND_REASONS, reason, 'refund')
  if (charge) reader.read('charge status', CHARGE_WORDS, charge.status, 'pending')
  const report = {
    ...declineOf(picture, reader),
    ...disputesOf(disputes, intent, { givenMinor: sumBy('done'), reader }),
  }
  return netDisputes({
    order: standing === 'reached+' ? 'reached' : standing,
    reference: known(own, 'reference'),
    amountMinor: known(intent?.amount ?? session?.amount_total, 'amount'),
    currency: CurrencyCode.parse((intent?.currency ?? session?.currency ?? '').toUpperCase()),
    authorizedMinor: (intent?.status === 'requires_capture' && intent.amount_capturable) || capturedMinor,
    capturedMinor,
    refundedMinor: sumBy('done'),
    refundPendingMinor: sumBy('pending'),
    refunds: returned,
    ...(standing === 'reached+' && { isUnderWay: true }),
    // A voucher to pay at a shop, or instructions for a bank transfer.
    ...(standing === 'reached+' && intent?.status === 'requires_action' && { waitsElsewhere: true }),
    ...report,
    ...(charge && charge.status !== 'failed' && chargeDetails(charge, intent?.currency)),
    ...(reader.unknown.length > 0 && { unknownWords: reader.unknown }),
  })
}

/** A member that is null would count as money that is not there. @throws Error if something is missing */
function expectWhole(
  { session, intent, refunds, mayHold = false }: StripeOrder,
  charge: Charge | null,
): void {
  const isHeld = intent?.status === 'requires_capture' || (intent?.amount_received ?? 0) > 0
  // A session that is complete and unpaid, and holds nothing, may have no payment intent yet.
  const isPaid = session?.status === 'complete' && (session.payment_status !== 'unpaid' || mayHold)
  const missing =
    (isPaid && !intent && 'payment intent') ||
    (isHeld && !charge && 'charge') ||
    (refunds.some(({ status }) => status === null) && "refund's status")
  if (missing) throw new Error(`Stripe shows the payment without its ${missing}`)
}

function known<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`Stripe shows the payment without its ${what}`)
  return value
}

/**
 * Returns how the order stands, by the table of words and what is beside them: an error of the payment, and a hold that was released. A
 * session that is complete and unpaid is under way, whatever the word of its intent is.
 */
function standingOf(
  { session, intent }: StripeOrder,
  charge: Charge | null,
  reader: WordReader,
): Standing | 'reached+' {
  const seat = session
    ? reader.read<keyof typeof SESSION_WORDS | null>('session status', SESSION_WORDS, session.status, null)
    : 'charge'
  const { payment_status: paid } = session ?? {}
  const isUnpaid = paid ? !reader.read<boolean>('payment status of a session', PAID_WORDS, paid, true) : false
  const word = intent?.status ?? 'none'
  const row = reader.read<(typeof INTENT_WORDS)[string] | null>(
    'payment intent status',
    INTENT_WORDS,
    word,
    null,
  )
  if (seat === null) return 'unclear'
  if (row === null) return seat === 'complete' && isUnpaid ? 'reached+' : 'unclear'
  if (word === 'canceled' && charge?.status === 'succeeded') return 'voided'
  if (word === 'requires_payment_method' && intent?.last_payment_error) {
    // On Stripe's page the buyer may try another card as long as the session is open.
    if (seat === 'open') return 'reached'
    if (seat === 'complete') return 'declined'
  }
  return row[seat]
}

export function chargeOf(intent: Intent | null): Charge | null {
  const charge = intent?.latest_charge
  return charge && typeof charge !== 'string' ? charge : null
}

/** A refund that was made in Stripe's dashboard has no key of ours. */
function nameOf({ id, amount: amountMinor, status, metadata }: Refund, reader: WordReader): NamedRefund {
  const key = metadata?.[OPERATION]
  // Of an unknown status nobody knows where the money is. It is not free for another refund.
  const state = reader.read<NamedRefund['state']>('refund status', REFUND_WORDS, status ?? '', 'pending')
  return { ...(key !== undefined && { key }), id, amountMinor, state }
}

/** Returns the refunds of captured money. */
function refundsOfCaptured({ intent, refunds }: StripeOrder, charge: Charge | null): readonly Refund[] {
  if (!charge || (intent?.amount_received ?? 0) === 0) return []
  const returned = refunds.filter(({ reason }) => REFUND_REASONS[reason ?? ''] !== 'release')
  const released = charge.amount - charge.amount_captured
  // In some versions of the API a release has no reason. It never has a balance transaction, because no money moved. A refund can
  // also have none for a while, so one that we have made does not count as a release.
  const release = returned.findLast(
    ({ amount, status, balance_transaction, metadata }) =>
      released > 0 &&
      amount === released &&
      status === 'succeeded' &&
      metadata?.[OPERATION] === undefined &&
      (balance_transaction ?? null) === null,
  )
  return release === undefined ? returned : returned.filter((each) => each !== release)
}

function declineOf({ intent }: StripeOrder, reader: WordReader): Partial<Snapshot> {
  const error = intent?.last_payment_error
  if (!error || intent?.status !== 'requires_payment_method') return {}
  const { decline_code: declineCode, code } = error
  return { ...meaningOf(declineCode, code, reader), detail: `declined (${declineCode ?? code ?? 'no code'})` }
}

function chargeDetails(charge: Charge, currency: string | undefined): Partial<Snapshot> {
  const { balance_transaction: booked, payment_method_details: details } = charge
  const booking = booked && typeof booked !== 'string' ? booked : null
  const capturedAt = booking?.created ?? charge.created
  return {
    providerTransactionId: charge.id,
    ...(charge.captured && { capturedAt: timeOf(capturedAt) }),
    ...(details && { instrument: instrumentOf(details) }),
    ...(charge.authorization_code && { approvalCode: charge.authorization_code }),
    // A fee in the currency of the payout cannot be compared with an amount in the currency of the payment.
    ...(booking && booking.currency === currency && booking.fee >= 0 && { feeMinor: booking.fee }),
  }
}

const BANK_METHODS = /_debit$|_transfer$|^customer_balance$|^us_bank_account$|^sofort$|^ideal$|^giropay$/

function instrumentOf({ type, card }: NonNullable<Charge['payment_method_details']>): Instrument {
  if (type === 'card')
    return {
      kind: 'card',
      ...(card?.brand && { brand: card.brand }),
      ...(card?.last4 && { last4: card.last4 }),
    }
  if (BANK_METHODS.test(type)) return { kind: 'bank_transfer', brand: type }
  return { kind: 'wallet', brand: type }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
