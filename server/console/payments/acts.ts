/** What a person can do about a payment: for each act when it can be done, what it asks, and the verb that does it. */
import type { Act } from '../../acts/policy.ts'
import type { Context } from '../../context.ts'
import { retryReceiptFor } from '../../operator/acts/agreements.ts'
import { cancelFor } from '../../operator/acts/cancel.ts'
import { actOnMoney } from '../../operator/acts/money.ts'
import type { ArgsOf, GuardedName } from '../../operator/approvals/guarded.ts'
import type { Timeline } from '../../operator/payment-timeline.ts'
import { confirmPayment, type DecidedStatus } from '../../payments/decisions/payment.ts'
import { noteReturn } from '../../payments/decisions/returned.ts'
import { entriesOf } from '../../payments/entries/book.ts'
import { surplusOf } from '../../payments/entries/entry.ts'
import { type MoneyOperation, OPERATION_TABLE } from '../../payments/operation.ts'
import { leftToRefund, wholeAmount } from '../../payments/operations/money.ts'
import { canExpire, isOpen } from '../../payments/status.ts'
import type { ConsoleKey } from '../words/say.ts'

/** `isByHand`: no provider knows of the payment's money, so people confirm and return it. */
export type Facts = Timeline & { isByHand: boolean; left: Left }
/**
 * What the person's own limits leave, in minor units: for one decision about money, and for what goes back to the buyer. Null: no
 * limit.
 */
export type Left = { once: number | null; by_day: number | null }

/** What the person has filled in, checked. `key`: the same for every form that saw the same payment. */
export type Given = {
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
  needs: Act
  fields: readonly FieldName[]
  /** Which of the person's own limits is shown. Absent: the usual amount is not bounded by one. */
  limit?: keyof Left
  /** Whether it decides about all of the payment's money, whatever amount the person types. */
  isWhole?: boolean
  /** Why it cannot be done now; null if it can. */
  whyNot(facts: Facts): ConsoleKey | null
  /** In minor units: what it moves at most, and what it moves if the person chooses no amount. */
  most(facts: Facts): number
  /** Tries it out: with all its checks, and nothing stays. Absent: that would ask somebody else. */
  rehearse?(ctx: Context, given: Given, by: string): Promise<unknown>
  /** What may need a second person. Absent: nothing of it does. */
  guarded?(given: Given): { [Name in GuardedName]: { name: Name; args: ArgsOf<Name> } }[GuardedName]
  run?(ctx: Context, given: Given, by: string): Promise<unknown>
}

const money = (
  type: MoneyOperation,
  hasAmount: boolean,
): Pick<PaymentAct, 'most' | 'rehearse' | 'guarded'> => {
  const args = ({ paymentId, amountMinor, why, key, version }: Given) => ({
    ...{ paymentId, why: why || null, key, version },
    ...(hasAmount && { amountMinor }),
  })
  return {
    most: ({ payment }) => wholeAmount(type, payment),
    rehearse: (ctx, given, by) => actOnMoney(ctx, type, args(given), by),
    guarded: (given) => ({ name: `payment ${type}`, args: args(given) }),
  }
}

/** Whether the payment's status allows it, and no provider is still at work. */
const allows = ({ payment }: Facts, type: MoneyOperation) =>
  OPERATION_TABLE[type].from.includes(payment.status) && payment.attempt.underWaySince === null

const refund: PaymentAct = {
  ...{ name: 'refund', needs: 'payment refund', fields: ['amount', 'why'], limit: 'by_day' },
  whyNot(facts) {
    if (facts.payment.capturedMinor === 0) return 'nothingTaken'
    if (facts.isByHand) return 'byHandOnly'
    return leftToRefund(facts.payment) === 0 ? 'nothingLeft' : null
  },
  ...money('refund', true),
}

const capture: PaymentAct = {
  ...{ name: 'capture', needs: 'payment capture', fields: ['amount'] },
  whyNot: (facts) => (allows(facts, 'capture') ? null : 'nothingHeld'),
  ...money('capture', true),
}

const release: PaymentAct = {
  ...{ name: 'void', needs: 'payment void', fields: ['why'], limit: 'by_day' },
  whyNot: (facts) => (allows(facts, 'void') && facts.payment.status === 'authorized' ? null : 'nothingHeld'),
  ...money('void', false),
}

const confirm: PaymentAct = {
  ...{ name: 'confirm', needs: 'payment confirm', fields: ['amount', 'reference'], limit: 'once' },
  isWhole: true,
  whyNot({ isByHand, payment }) {
    if (!isByHand) return 'providerReports'
    return payment.capturedMinor > 0 ? 'confirmedAlready' : null
  },
  most: ({ payment }) => payment.amountMinor,
  rehearse: (ctx, { paymentId, ...given }, actor) =>
    confirmPayment(ctx, paymentId, { ...arrived(given), actor }),
  guarded: ({ paymentId, ...given }) => ({ name: 'payment confirm', args: { paymentId, ...arrived(given) } }),
}

/** The person has seen the amount beside the payment's own before the second form. */
const arrived = ({ reference, amountMinor, version }: Omit<Given, 'paymentId'>) => ({
  ...{ reference, amountMinor, version, accepts: true },
})

/** What came by bank transfer beyond the payment's amount and has not gone back. It goes back first. */
export const surplusIn = ({ isByHand, entries, payment }: Facts): number =>
  isByHand ? surplusOf(entriesOf(entries, payment.attempt.number), payment.currency) : 0

const returned: PaymentAct = {
  ...{ name: 'returned', needs: 'payment returned', fields: ['amount', 'reference', 'why'], limit: 'by_day' },
  whyNot(facts) {
    if (!facts.isByHand) return 'providerReturns'
    if (facts.payment.capturedMinor + surplusIn(facts) === 0) return 'nothingTaken'
    return leftToRefund(facts.payment) + surplusIn(facts) === 0 ? 'nothingLeft' : null
  },
  most: (facts) => leftToRefund(facts.payment) + surplusIn(facts),
  rehearse: (ctx, { paymentId, ...given }, actor) => noteReturn(ctx, paymentId, { ...given, actor }),
  guarded: ({ paymentId, reference, amountMinor, version, why }) => ({
    ...{ name: 'payment returned', args: { paymentId, reference, amountMinor, version, why } },
  }),
}

/** It asks the provider first, so it is not tried out. */
const resolve: PaymentAct = {
  ...{ name: 'resolve', needs: 'payment resolve', fields: ['as', 'why'], limit: 'once' },
  whyNot({ payment, isByHand }) {
    if (payment.status === 'status_unknown') return null
    return isByHand && isOpen(payment.status) ? null : 'outcomeKnown'
  },
  most: ({ payment }) => payment.amountMinor,
  guarded: ({ paymentId, as, why, version, accepts }) => ({
    ...{ name: 'payment resolve', args: { paymentId, as, why, version, accepts } },
  }),
}

const receipt: PaymentAct = {
  ...{ name: 'receipt', needs: 'receipt retry', fields: [] },
  whyNot({ payment }) {
    if (payment.fiscalStatus === 'not_required') return 'noReceipts'
    return ['failed', 'correction_required'].includes(payment.fiscalStatus) ? null : 'receiptFine'
  },
  most: () => 0,
  run: (ctx, { paymentId }, by) => retryReceiptFor(ctx, paymentId, by),
}

/** It asks the provider first, so it is not tried out. */
const cancel: PaymentAct = {
  ...{ name: 'cancel', needs: 'payment cancel', fields: ['why'] },
  whyNot: ({ payment }) =>
    canExpire(payment.status) && payment.attempt.underWaySince === null ? null : 'notCancellable',
  most: () => 0,
  run: (ctx, { paymentId, why }, by) => cancelFor(ctx, { paymentId, why }, by),
}

export const PAYMENT_ACTS: readonly PaymentAct[] = [
  ...[refund, capture, release, confirm, returned, resolve, receipt, cancel],
]
