/**
 * The faults that a test or a person can cause for one order of the simulated PayPal, and all that each does. The description of the
 * order is then `simulate:<name>`. Durations in ms.
 */
import { type Money, minorOf, moneyOf } from '../../../providers/paypal/money.ts'
import type { SomeOf } from '../../../sandbox/register/faults.ts'

export const LATE_MS = 30_000
const DAY_MS = 24 * 3_600_000
const REVERSED_AFTER_MS = 10_000

/** `isCaptureOnly`: an authorization is not held, but its capture is. */
type Hold = {
  reason: 'PENDING_REVIEW' | 'ECHECK' | 'TRANSACTION_APPROVED_AWAITING_FUNDING'
  ms: number
  isAccepted: boolean
  isCaptureOnly?: true
}
/** `outcome`: null for a dispute that stays open. */
type Dispute = {
  stage: 'CHARGEBACK' | 'INQUIRY'
  share(minor: number): number
  outcome: 'RESOLVED_BUYER_FAVOUR' | 'RESOLVED_SELLER_FAVOUR' | null
}

type Hooks = {
  /** PayPal does not decide at once: why, after how long it decides, and how. */
  hold: Hold
  /** The amount that an order states. */
  stated(amount: Money): Money
  /** The amount that is taken of an order. */
  taken(amount: Money): Money
  /** How long after a refund it fails. */
  refundFailsAfterMs: number
  /** The dispute that the buyer opens when money was taken. */
  dispute: Dispute
  /** When an event is sent: a delay for each copy. `count`: how many events the account has had. */
  sentAfterMs(count: number): number[]
}

const review = (ms: number, isAccepted: boolean): Hold => ({ reason: 'PENDING_REVIEW', ms, isAccepted })
const echeck = (isAccepted: boolean): Hold => ({ reason: 'ECHECK', ms: 6 * DAY_MS, isAccepted })
const WHOLE = (minor: number) => minor
const HALF = (minor: number) => Math.ceil(minor / 2)
/** A dispute that is opened for an order without such a fault. */
export const OPEN_DISPUTE: Dispute = { stage: 'CHARGEBACK', share: WHOLE, outcome: null }

const HOOKS = {
  wrong_amount: { stated: (amount) => moneyOf(minorOf(amount) + 1, amount.currency_code) },
  wrong_currency: {
    stated: (amount) => ({ ...amount, currency_code: amount.currency_code === 'USD' ? 'EUR' : 'USD' }),
  },
  late_paid: { hold: { ...review(LATE_MS, true), isCaptureOnly: true } },
  // The buyer sends a transfer from his bank.
  waits_elsewhere: {
    hold: { ...review(LATE_MS, true), reason: 'TRANSACTION_APPROVED_AWAITING_FUNDING' },
  },
  // PayPal reviews most payments within a day. An eCheck takes four business days and more.
  review_accepted: { hold: review(DAY_MS, true) },
  review_refused: { hold: review(DAY_MS, false) },
  echeck_clears: { hold: echeck(true) },
  echeck_fails: { hold: echeck(false) },
  underpaid: { taken: (amount) => moneyOf(Math.floor(minorOf(amount) / 2), amount.currency_code) },
  refund_fails_later: { refundFailsAfterMs: LATE_MS },
  disputed: { dispute: OPEN_DISPUTE },
  dispute_lost: { dispute: { ...OPEN_DISPUTE, outcome: 'RESOLVED_BUYER_FAVOUR' } },
  dispute_part_lost: { dispute: { ...OPEN_DISPUTE, share: HALF, outcome: 'RESOLVED_BUYER_FAVOUR' } },
  inquiry: { dispute: { ...OPEN_DISPUTE, stage: 'INQUIRY', outcome: 'RESOLVED_SELLER_FAVOUR' } },
  duplicate_callback: { sentAfterMs: () => [0, 0] },
  // The later an event is, the earlier it is sent.
  reversed_callbacks: { sentAfterMs: (count) => [REVERSED_AFTER_MS - count] },
} as const satisfies Record<string, SomeOf<Hooks>>

export type Fault = keyof typeof HOOKS

/** Returns what the fault of an order changes. Without a fault nothing. */
export function hooksOf(fault: Fault | undefined): Partial<Hooks> {
  return fault ? HOOKS[fault] : {}
}

export function faultIn(description: string | undefined): Fault | undefined {
  return (Object.keys(HOOKS) as Fault[]).find((fault) => description === `simulate:${fault}`)
}
