/** Translates Stripe's objects about an order into our words. It sends no request. */
import { CurrencyCode } from '../../contract/fields.ts'
import { sumDisputes } from '../driver/disputes.ts'
import type { Instrument, NamedRefund, Snapshot, Standing } from '../driver.ts'
import { meaningOf } from './declines.ts'
import {
  type Charge,
  type Dispute,
  type Intent,
  OPERATION,
  REFERENCE,
  type Refund,
  type Session,
} from './shapes.ts'

/** An order without a session is a charge of a saved method. `refunds` and `disputes` are complete. */
export type Picture = {
  session: Session | null
  intent: Intent | null
  refunds: readonly Refund[]
  disputes: readonly Dispute[]
}

/** These disputes are not decided, and Stripe has taken their money. */
const OPEN_DISPUTES = ['needs_response', 'under_review', 'appeal_needs_response', 'appeal_under_review']
/** The bank only asks. No money has moved. */
const OPEN_INQUIRIES = ['warning_needs_response', 'warning_under_review']
const PENDING_REFUNDS = ['pending', 'requires_action']
/** With any other status nobody knows where the money is. */
const REFUND_STATUSES = [...PENDING_REFUNDS, 'succeeded', 'failed', 'canceled']
/** Stripe lists the release of an authorization as a refund. */
const RELEASES = ['expired_uncaptured_charge', 'partial_capture']

/** @throws Error if an object is missing that belongs to the money that the others show */
export function snapshotOf(picture: Picture): Snapshot {
  const { session, intent, disputes } = picture
  const charge = chargeOf(intent)
  expectWhole(picture, charge)
  const own = session?.client_reference_id ?? session?.metadata?.[REFERENCE] ?? intent?.metadata?.[REFERENCE]
  const capturedMinor = intent?.amount_received ?? 0
  const given = givenBack(picture, charge)
  const sumOfDisputes = (...statuses: string[]) =>
    sumDisputes(
      disputes
        .filter(({ status }) => statuses.includes(status))
        .map((each) => disputeOf(each, intent?.currency, capturedMinor)),
    )
  const [dispute, inquiry] = [sumOfDisputes(...OPEN_DISPUTES), sumOfDisputes(...OPEN_INQUIRIES)]
  const lost = sumOfDisputes('lost')
  return {
    order: standingOf(picture, charge),
    reference: known(own, 'reference'),
    amountMinor: known(intent?.amount ?? session?.amount_total, 'amount'),
    currency: CurrencyCode.parse((intent?.currency ?? session?.currency ?? '').toUpperCase()),
    authorizedMinor: (intent?.status === 'requires_capture' && intent.amount_capturable) || capturedMinor,
    capturedMinor,
    refundedMinor: sumOf(given.filter(({ status }) => status === 'succeeded')),
    refundPendingMinor: sumOf(given.filter(({ status }) => PENDING_REFUNDS.includes(status ?? ''))),
    refunds: given.map(nameOf),
    ...(isUnderWay(picture) && { isUnderWay: true }),
    ...declineOf(picture),
    ...(charge && charge.status !== 'failed' && paperOf(charge, intent?.currency)),
    ...(dispute && { dispute }),
    ...(inquiry && { inquiry }),
    ...(lost && { disputeLostMinor: lost.amountMinor }),
  }
}

/** A member that is null would count as money that is not there. @throws Error if something is missing */
function expectWhole({ session, intent, refunds }: Picture, charge: Charge | null): void {
  const isHeld = intent?.status === 'requires_capture' || (intent?.amount_received ?? 0) > 0
  const missing =
    (session?.status === 'complete' && !intent && 'payment intent') ||
    (isHeld && !charge && 'charge') ||
    (refunds.some(({ status }) => !REFUND_STATUSES.includes(status ?? '')) && "refund's status")
  if (missing) throw new Error(`Stripe shows the payment without its ${missing}`)
}

function known<Value>(value: Value | null | undefined, what: string): Value {
  if (value === null || value === undefined) throw new Error(`Stripe shows the payment without its ${what}`)
  return value
}

function standingOf({ session, intent }: Picture, charge: Charge | null): Standing {
  const isExpired = session?.status === 'expired'
  switch (intent?.status) {
    case undefined:
      if (session?.status === 'open') return 'waiting'
      return isExpired ? 'expired' : 'unclear'
    case 'requires_payment_method':
      if (isExpired) return 'expired'
      if (session?.status !== 'open') return 'declined'
      // On Stripe's page the buyer may try another card as long as the session is open.
      return intent?.last_payment_error ? 'reached' : 'waiting'
    case 'requires_confirmation':
    case 'requires_action':
    case 'processing':
      return 'reached'
    case 'requires_capture':
    case 'succeeded':
      return 'completed'
    case 'canceled':
      if (charge?.status === 'succeeded') return 'voided'
      return isExpired ? 'expired' : 'cancelled'
    default:
      return 'unclear'
  }
}

/** On an open page the buyer may still have something to do. A charge of a saved method has no page. */
function isUnderWay({ session, intent }: Picture): boolean {
  return intent?.status === 'processing' && session?.status !== 'open'
}

export function chargeOf(intent: Intent | null): Charge | null {
  const charge = intent?.latest_charge
  return charge && typeof charge !== 'string' ? charge : null
}

/** A refund that was made in Stripe's dashboard has no key of ours. */
function nameOf({ id, amount: amountMinor, status, metadata }: Refund): NamedRefund {
  const key = metadata?.[OPERATION]
  const state =
    status === 'succeeded' ? 'done' : PENDING_REFUNDS.includes(status ?? '') ? 'pending' : 'failed'
  return { ...(key !== undefined && { key }), id, amountMinor, state }
}

function sumOf(refunds: readonly Refund[]): number {
  return refunds.reduce((sum, { amount }) => sum + amount, 0)
}

/** Returns the refunds of captured money. */
function givenBack({ intent, refunds }: Picture, charge: Charge | null): readonly Refund[] {
  if (!charge || (intent?.amount_received ?? 0) === 0) return []
  const returned = refunds.filter(({ reason }) => !RELEASES.includes(reason ?? ''))
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

function declineOf({ intent }: Picture): Partial<Snapshot> {
  const error = intent?.last_payment_error
  if (!error || intent?.status !== 'requires_payment_method') return {}
  const { decline_code: declineCode, code } = error
  return { ...meaningOf(declineCode, code), detail: `declined (${declineCode ?? code ?? 'no code'})` }
}

function paperOf(charge: Charge, currency: string | undefined): Partial<Snapshot> {
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

/** An amount in another currency than the payment's cannot be compared with it, so the dispute counts as one about everything. */
function disputeOf(
  { amount, currency, reason, evidence_details: evidence }: Dispute,
  paidIn: string | undefined,
  capturedMinor: number,
): NonNullable<Snapshot['dispute']> {
  const { due_by: dueBy } = evidence ?? {}
  const amountMinor = currency === paidIn ? amount : capturedMinor
  return { amountMinor, reason, ...(dueBy && { answerBy: timeOf(dueBy) }) }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}
