/** What a person can do about a payment: for each act when it can be done, what it asks, and the verb that does it. */
import type { AnyRow } from '../../acts/act.ts'
import {
  cancel as cancelRow,
  confirm as confirmRow,
  resolve as resolveRow,
  returned as returnedRow,
} from '../../acts/rows/decisions.ts'
import * as ROWS from '../../acts/rows/payments.ts'
import { retry as retryRow } from '../../acts/rows/receipts.ts'
import type { Timeline } from '../../operator/payment-timeline.ts'
import type { DecidedStatus } from '../../payments/decisions/payment.ts'
import { sumSurplus } from '../../payments/entries/entry.ts'
import { entriesOfAttempt } from '../../payments/entries/record.ts'
import { type MoneyOperation, OPERATION_TABLE } from '../../payments/operation.ts'
import { leftToRefund, wholeAmount } from '../../payments/operations/money.ts'
import { canExpire, isOpen } from '../../payments/status.ts'
import type { ConsoleKey } from '../words/translate.ts'

/** `isByHand`: no provider knows of the payment's money, so people confirm and return it. */
export type ActFacts = Timeline & { isByHand: boolean; left: OwnLimitsLeft }
/**
 * What the person's own limits leave, in minor units: for one decision about money, and for what goes back to the buyer. Null: no
 * limit.
 */
export type OwnLimitsLeft = { once: number | null; by_day: number | null }

/** What the person has filled in, checked. `key`: the same for every form that saw the same payment. */
export type ActInput = {
  paymentId: string
  version: number
  key: string
  amountMinor: number
  why: string
  reference: string
  as: DecidedStatus
  /** The sum that the person accepts in place of the whole amount. */
  accepts?: number | undefined
}
export type FieldName = 'amount' | 'reference' | 'as' | 'why'
export type ActName =
  | 'refund'
  | 'capture'
  | 'void'
  | 'confirm'
  | 'returned'
  | 'resolve'
  | 'receipt'
  | 'cancel'

export type PaymentAct = {
  name: ActName
  fields: readonly FieldName[]
  /** Which of the person's own limits is shown. Absent: the usual amount is not bounded by one. */
  limit?: keyof OwnLimitsLeft
  /** Whether it decides about all of the payment's money, whatever amount the person types. */
  isWhole?: boolean
  /** Why it cannot be done now; null if it can. */
  whyNot(facts: ActFacts): ConsoleKey | null
  /** In minor units: what it moves at most, and what it moves if the person chooses no amount. */
  maxMinor(facts: ActFacts): number
  /** The row of the table of acts with its values. */
  row: AnyRow
  args(given: ActInput): object
}

const money = (
  type: MoneyOperation,
  row: AnyRow,
  hasAmount: boolean,
): Pick<PaymentAct, 'row' | 'args' | 'maxMinor'> => ({
  row,
  maxMinor: ({ payment }) => wholeAmount(type, payment),
  args: ({ paymentId, amountMinor, why, key, version }) => ({
    paymentId,
    why: why || null,
    key,
    version,
    ...(hasAmount && { amountMinor }),
  }),
})

/** Whether the payment's status allows it, and no provider is still at work. */
const allows = ({ payment }: ActFacts, type: MoneyOperation) =>
  OPERATION_TABLE[type].from.includes(payment.status) && payment.attempt.underWaySince === null

const refund: PaymentAct = {
  name: 'refund',
  fields: ['amount', 'why'],
  limit: 'by_day',
  whyNot(facts) {
    if (facts.payment.capturedMinor === 0) return 'nothingTaken'
    if (facts.isByHand) return 'byHandOnly'
    return leftToRefund(facts.payment) === 0 ? 'nothingLeft' : null
  },
  ...money('refund', ROWS.refund, true),
}

const capture: PaymentAct = {
  name: 'capture',
  fields: ['amount'],
  whyNot: (facts) => (allows(facts, 'capture') ? null : 'nothingHeld'),
  ...money('capture', ROWS.capture, true),
}

const release: PaymentAct = {
  name: 'void',
  fields: ['why'],
  limit: 'by_day',
  whyNot: (facts) => (allows(facts, 'void') && facts.payment.status === 'authorized' ? null : 'nothingHeld'),
  ...money('void', ROWS.release, false),
}

const confirm: PaymentAct = {
  name: 'confirm',
  fields: ['amount', 'reference'],
  limit: 'once',
  isWhole: true,
  whyNot({ isByHand, payment }) {
    if (!isByHand) return 'providerReports'
    return payment.capturedMinor > 0 ? 'confirmedAlready' : null
  },
  maxMinor: ({ payment }) => payment.amountMinor,
  row: confirmRow,
  // The person has seen the amount beside the payment's own before the second form.
  args: ({ paymentId, reference, amountMinor, version }) => ({
    paymentId,
    reference,
    amountMinor,
    version,
    accepts: true,
  }),
}

/** What came by bank transfer beyond the payment's amount and has not gone back. It goes back first. */
export const surplusIn = ({ isByHand, entries, payment }: ActFacts): number =>
  isByHand ? sumSurplus(entriesOfAttempt(entries, payment.attempt.number), payment.currency) : 0

const returned: PaymentAct = {
  name: 'returned',
  fields: ['amount', 'reference', 'why'],
  limit: 'by_day',
  whyNot(facts) {
    if (!facts.isByHand) return 'providerReturns'
    if (facts.payment.capturedMinor + surplusIn(facts) === 0) return 'nothingTaken'
    return leftToRefund(facts.payment) + surplusIn(facts) === 0 ? 'nothingLeft' : null
  },
  maxMinor: (facts) => leftToRefund(facts.payment) + surplusIn(facts),
  row: returnedRow,
  args: ({ paymentId, reference, amountMinor, version, why }) => ({
    paymentId,
    reference,
    amountMinor,
    version,
    why,
  }),
}

const resolve: PaymentAct = {
  name: 'resolve',
  fields: ['as', 'why'],
  limit: 'once',
  whyNot({ payment, isByHand }) {
    if (payment.status === 'status_unknown') return null
    return isByHand && isOpen(payment.status) ? null : 'outcomeKnown'
  },
  maxMinor: ({ payment }) => payment.amountMinor,
  row: resolveRow,
  args: ({ paymentId, as, why, version, accepts }) => ({ paymentId, as, why, version, accepts }),
}

const receipt: PaymentAct = {
  name: 'receipt',
  fields: [],
  whyNot({ payment }) {
    if (payment.fiscalStatus === 'not_required') return 'noReceipts'
    return ['failed', 'correction_required'].includes(payment.fiscalStatus) ? null : 'receiptFine'
  },
  maxMinor: () => 0,
  row: retryRow,
  args: ({ paymentId }) => ({ paymentId }),
}

const cancel: PaymentAct = {
  name: 'cancel',
  fields: ['why'],
  whyNot: ({ payment }) =>
    canExpire(payment.status) && payment.attempt.underWaySince === null ? null : 'notCancellable',
  maxMinor: () => 0,
  row: cancelRow,
  args: ({ paymentId, why }) => ({ paymentId, why }),
}

export const PAYMENT_ACTS: readonly PaymentAct[] = [
  ...[refund, capture, release, confirm, returned, resolve, receipt, cancel],
]
