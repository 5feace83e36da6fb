/**
 * Translates a PayPal order into our words. The amounts come from the payments of the order, because the order's own status
 * says only that its intent was carried out.
 */
import { UnreadableError } from '../driver/refusal.ts'
import { createWordReader, type WordReader } from '../driver/words.ts'
import type { NamedRefund, Snapshot } from '../driver.ts'
import { declineOfIssue, declineOfProcessor } from './decline.ts'
import { minorOf, sumOf } from './money.ts'
import { type Declined, readName } from './order.ts'
import type { Authorization, Capture, Order, Unit } from './wire.ts'
import {
  AUTHORIZATION_WORDS,
  type AuthorizationMeaning,
  CAPTURE_WORDS,
  type CaptureMeaning,
  ORDER_WORDS,
  type OrderMeaning,
  PENDING_REASONS,
  type PendingReason,
  REFUND_WORDS,
} from './words.ts'

type Money = Pick<Snapshot, 'authorizedMinor' | 'capturedMinor' | 'refundedMinor' | 'refundPendingMinor'>

/**
 * `declined`: the last refusal of this order's payment. It counts until the buyer approves again. `isCharge`: no buyer is sent to it.
 * `isDisputed`: a capture whose status does not show whether its money was taken was taken.
 */
export type OrderContext = { declined: Declined | undefined; isCharge: boolean; now: Date; isDisputed?: true }

/** @throws Error if payments are missing in the order */
export function snapshotOf(order: Order, known: OrderContext): Snapshot {
  const { now } = known
  const [unit] = order.purchase_units
  expectPayments(order)
  const reader = createWordReader()
  const { authorizations, refunds } = unit.payments
  const captures = unit.payments.captures
    .map((each) => ({ ...each, ...meaningOfCapture(each, reader) }))
    .map((each) => (known.isDisputed && isUndecided(each) ? { ...each, meaning: 'taken' as const } : each))
  const taken = captures.filter(({ meaning }) => meaning === 'taken' || meaning === 'returned')
  const capturedMinor = sumOf(taken.map(({ amount }) => amount))
  const holds = authorizations.map((each) => ({ ...each, meaning: meaningOfHold(each, { reader, now }) }))
  const held = holds.filter(({ meaning }) => meaning === 'held' || meaning === 'captured')
  const named = refunds.map((each) => nameOf(each, reader))
  const money = {
    authorizedMinor: Math.max(sumOf(held.map(({ amount }) => amount)), capturedMinor),
    capturedMinor,
    ...returnedOf(captures, named),
  } satisfies Money
  const [first] = taken
  const id = (first ?? captures[0] ?? authorizations[0])?.id
  const disputed = captures.filter(({ isDisputed }) => isDisputed)
  const stands = standing(order, known, { money, captures, holds, reader })
  const fees = taken.flatMap(({ seller_receivable_breakdown: breakdown }) => breakdown?.paypal_fee ?? [])
  return {
    reference: unit.custom_id,
    amountMinor: minorOf(unit.amount),
    currency: unit.amount.currency_code,
    ...money,
    refunds: named,
    ...stands,
    // PayPal says by the capture that it is disputed. What the disputes themselves say counts more.
    ...(disputed.length > 0 && {
      dispute: {
        amountMinor: sumOf(disputed.map(({ amount }) => amount)),
        reason: disputed[0]?.detail ?? '',
      },
    }),
    ...instrumentOf(order),
    ...(id !== undefined && { providerTransactionId: id }),
    ...(first?.create_time && { capturedAt: new Date(first.create_time).toISOString() }),
    ...(fees.length > 0 && { feeMinor: sumOf(fees) }),
    ...(reader.unknown.length > 0 && { unknownWords: reader.unknown }),
  }
}

type Refund = Unit['payments']['refunds'][number]

function nameOf({ id, status, amount, custom_id = '' }: Refund, reader: WordReader): NamedRefund {
  const { key } = readName(custom_id)
  // Of an unknown status nobody knows where the money is. It is not free for another refund.
  const state = reader.read<NamedRefund['state']>('refund status', REFUND_WORDS, status, 'pending')
  return { ...(key !== undefined && { key }), id, amountMinor: minorOf(amount), state }
}

/** `unknown`: PayPal uses a word that nobody here knows. `lapsed`: PayPal captures nothing of it any more. */
type ReadCapture = Capture & { meaning: CaptureMeaning | 'unknown'; isDisputed: boolean; detail: string }
type Hold = Authorization & { meaning: AuthorizationMeaning | 'lapsed' | 'unknown' }

/** A capture that was COMPLETED can be PENDING again, because the buyer complains. Its money was still taken. */
function meaningOfCapture(capture: Capture, reader: WordReader): Omit<ReadCapture, keyof Capture> {
  const word = reader.read<CaptureMeaning | 'unknown'>(
    'capture status',
    CAPTURE_WORDS,
    capture.status,
    'unknown',
  )
  if (word !== 'pending') return { meaning: word, isDisputed: false, detail: '' }
  const { detail, after } = reasonOf(capture, reader)
  const meaning = after === 'returned' ? 'returned' : after === 'disputed' ? 'taken' : 'pending'
  return { meaning, isDisputed: after === 'disputed', detail }
}

const isUndecided = ({ meaning }: ReadCapture) => meaning === 'pending' || meaning === 'unknown'

/** Returns why it is PENDING. */
function reasonOf({ status_details }: Capture | Authorization, reader: WordReader): PendingReason {
  const { reason } = status_details ?? {}
  if (reason === undefined) return { detail: 'PayPal says PENDING' }
  return reader.read<PendingReason>('reason of a pending payment', PENDING_REASONS, reason, {
    detail: `PayPal says ${reason}`,
  })
}

function meaningOfHold(
  hold: Authorization,
  { reader, now }: { reader: WordReader; now: Date },
): Hold['meaning'] {
  if (hasLapsed(hold, now)) return 'lapsed'
  return reader.read<Hold['meaning']>('authorization status', AUTHORIZATION_WORDS, hold.status, 'unknown')
}

/**
 * PayPal leaves out empty lists. The other parts of an order show if a list is missing that is not empty. Without this check, money
 * that is not shown would count as money that is not there.
 * @throws Error if a list is missing
 */
function expectPayments({ status, intent, purchase_units: [{ payments }] }: Order): void {
  const { authorizations, captures, refunds } = payments
  const isCaptured =
    authorizations.some(({ status: word }) => AUTHORIZATION_WORDS[word] === 'captured') || refunds.length > 0
  const isReturned = captures.some((each) => each.status === 'PARTIALLY_REFUNDED')
  const missing =
    (status === 'COMPLETED' && captures.length + authorizations.length === 0 && 'payments') ||
    (intent === 'AUTHORIZE' && captures.length > 0 && authorizations.length === 0 && 'authorizations') ||
    (isCaptured && captures.length === 0 && 'captures') ||
    (isReturned && refunds.length === 0 && 'refunds')
  if (missing) throw new UnreadableError(`PayPal shows the order without its ${missing}`)
}

/** A capture that is REFUNDED was returned in full, also if not every refund is listed. */
function returnedOf(captures: readonly ReadCapture[], refunds: readonly NamedRefund[]) {
  const sumBy = (state: NamedRefund['state']) =>
    refunds.reduce((sum, each) => (each.state === state ? sum + each.amountMinor : sum), 0)
  const whole = captures.filter(({ meaning }) => meaning === 'returned').map(({ amount }) => amount)
  const refundPendingMinor = sumBy('pending')
  return { refundedMinor: Math.max(sumBy('done'), sumOf(whole) - refundPendingMinor), refundPendingMinor }
}

type OrderReport = Pick<
  Snapshot,
  'order' | 'isUnderWay' | 'waitsElsewhere' | 'detail' | 'decline' | 'declineCategory'
>

type Parts = { money: Money; captures: readonly ReadCapture[]; holds: readonly Hold[]; reader: WordReader }

function standing(order: Order, { declined, isCharge }: OrderContext, parts: Parts): OrderReport {
  // A refusal of the shop's account is stored too, so that the next try has another id. It is no decline of the buyer.
  const isOfBuyer = declined !== undefined && declineOfIssue(declined.issue) !== null
  const isDeclined = isOfBuyer && declined.since !== 'approved'
  const word = parts.reader.read<OrderMeaning | 'unknown'>(
    'order status',
    ORDER_WORDS,
    order.status,
    'unknown',
  )
  if (word === 'unknown') return { order: 'unclear' }
  if (word === 'ended') return ended(order, parts)
  if (isDeclined) return declinedFor(declined.issue)
  if (isCharge && order.status === 'PAYER_ACTION_REQUIRED') return declinedFor(order.status)
  // An order with a saved account needs no buyer. Until PayPal has taken the money, it may show such an order as CREATED.
  return { order: isCharge || word === 'approved' ? 'approved' : 'waiting' }
}

function ended({ status }: Order, { money, captures, holds, reader }: Parts): OrderReport {
  if (money.capturedMinor > 0) return { order: 'completed' }
  const all = [...captures, ...holds]
  const pending = all.find(({ meaning }) => meaning === 'pending')
  if (pending) {
    const { detail, waitsElsewhere } = reasonOf(pending, reader)
    return { order: 'reached', isUnderWay: true, detail, ...(waitsElsewhere && { waitsElsewhere }) }
  }
  if (all.some(({ meaning }) => meaning === 'unknown')) return { order: 'unclear' }
  const lapsed = holds.find(({ meaning }) => meaning === 'lapsed')
  if (lapsed) return { order: 'voided', detail: `the authorization expired at ${lapsed.expiration_time}` }
  if (holds.some(({ meaning }) => meaning === 'held' || meaning === 'captured')) return { order: 'completed' }
  if (holds.some(({ meaning }) => meaning === 'voided')) return { order: 'voided' }
  const [refused] = all
  if (refused) {
    const { category, decline, detail } = declineOfProcessor(
      refused.processor_response?.response_code,
      reader,
    )
    return { order: 'declined', detail, decline, declineCategory: category }
  }
  return { order: status === 'VOIDED' ? 'cancelled' : 'unclear' }
}

function declinedFor(issue: string): OrderReport {
  const meaning = declineOfIssue(issue)
  if (!meaning) return { order: 'declined', detail: `PayPal refused the payment: ${issue}` }
  const { category, decline, detail } = meaning
  return { order: 'declined', detail, decline, declineCategory: category }
}

/** PayPal captures nothing of an authorization after its expiration time. */
function hasLapsed({ status, expiration_time }: Authorization, now: Date): boolean {
  return status === 'CREATED' && expiration_time !== undefined && new Date(expiration_time) <= now
}

function instrumentOf({ payment_source: source }: Order): Pick<Snapshot, 'instrument'> {
  if (source?.card) {
    const { brand, last_digits } = source.card
    return {
      instrument: {
        kind: 'card',
        ...(brand !== undefined && { brand: brand.toLowerCase() }),
        ...(last_digits !== undefined && { last4: last_digits.slice(-4) }),
      },
    }
  }
  if (source?.venmo) return { instrument: { kind: 'wallet', brand: 'venmo' } }
  return source?.paypal ? { instrument: { kind: 'wallet', brand: 'paypal' } } : {}
}
