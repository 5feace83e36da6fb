/** The simulated bank's response to a question about an order: its own words, as text. */
import { createHash } from 'node:crypto'
import { hooksOf } from '../faults.ts'
import { type BankEntry, sumOfDisputes, sumOfRefunds } from './order.ts'

/**
 * The bank's description of an order. As at many banks, `state` is `refunded` after the first partial refund already, and does
 * not show a dispute. The amounts say more.
 */
export function describe(entry: BankEntry, checkoutUrl: string): string {
  const { reference, authorizedMinor, capturedMinor, refunds } = entry
  const refundedMinor = sumOfRefunds(entry, 'done')
  const refundPendingMinor = sumOfRefunds(entry, 'pending')
  const disputedMinor = sumOfDisputes(entry, 'open')
  const disputeLostMinor = sumOfDisputes(entry, 'lost')
  const returned = { refundedMinor, refundPendingMinor, disputedMinor, disputeLostMinor }
  return JSON.stringify({
    reference,
    ...termsOf(entry),
    state: stateOf(entry),
    authorizedMinor,
    capturedMinor,
    ...returned,
    refunds,
    checkoutUrl,
    decline: entry.decline,
    capturedAt: entry.capturedAt ?? undefined,
    ...(capturedMinor > 0 && paperOf(entry)),
  })
}

/** The retrieval reference number of a card payment. It is computed from the order, so that it never changes. */
function paperOf({ customer, reference }: BankEntry) {
  const digest = createHash('sha256').update(`${customer}.${reference}`).digest('hex')
  const digits = BigInt(`0x${digest}`).toString()
  return {
    transactionId: digest.slice(0, 16),
    rrn: digits.slice(0, 12),
    approvalCode: digits.slice(12, 18),
    card: { brand: 'visa', last4: '4242' },
  }
}

function stateOf({
  outcome,
  withdrawn,
  lapsed,
  reversed,
  refunds,
  capturedMinor,
  authorizedMinor,
}: BankEntry): string {
  if (reversed) return 'reversed'
  if (withdrawn) return 'withdrawn'
  if (lapsed) return 'expired'
  if (refunds.some(({ state }) => state === 'done')) return 'refunded'
  if (capturedMinor > 0) return 'deposited'
  if (authorizedMinor > 0) return 'approved'
  if (outcome === 'held_then_paid' || outcome === 'held_then_declined') return 'held'
  return outcome === 'declined' || outcome === 'cancelled' || outcome === 'unknown' ? outcome : 'registered'
}

/** Returns the agreed amount and currency. Once the buyer has chosen, a fault may change them. */
function termsOf(entry: BankEntry) {
  const { amountMinor, currency, outcome, fault } = entry
  const wrong = outcome === null ? undefined : hooksOf(fault).terms?.(entry)
  return wrong ?? { amountMinor, currency }
}
