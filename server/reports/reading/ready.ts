/**
 * Formats that come ready, recognized by the names of their columns.
 * Sources, read on 2026-11-23 and 2026-11-29: Stripe, https://docs.stripe.com/reports/report-types/balance,
 * .../report-types/payout-reconciliation, https://docs.stripe.com/reports/reporting-categories and
 * https://docs.stripe.com/reports/balance-transaction-types. PayPal, https://developer.paypal.com/reports/transaction-detail,
 * .../reports/settlement-report and https://developer.paypal.com/reports/reference/t-codes.
 */
import type { z } from 'zod'
import { StatementFormat } from './format.ts'

/** Money that Stripe books against a charge, a refund or a dispute. The amounts have signs. */
const STRIPE_KINDS = {
  charge: 'taken',
  partial_capture_reversal: 'taken',
  charge_failure: 'taken',
  refund: 'returned',
  refund_failure: 'returned',
  dispute: 'disputed',
  dispute_reversal: 'disputed',
  fee: 'fee',
  tax: 'fee',
  network_cost: 'fee',
  payout: 'payout',
  payout_reversal: 'payout',
} as const
const STRIPE_COLUMNS = {
  id: 'balance_transaction_id',
  at: 'created_utc',
  kind: 'reporting_category',
  currency: 'currency',
  amount: 'gross',
  fee: 'fee',
  payout: 'automatic_payout_id',
  paidAmount: 'customer_facing_amount',
  paidCurrency: 'customer_facing_currency',
  orders: ['payment_metadata[kassa_reference]'],
  movements: ['source_id', 'charge_id'],
}

/** The kinds of a balance transaction in an export of the dashboard. Disputes are adjustments there. */
const STRIPE_TYPES = {
  charge: 'taken',
  payment: 'taken',
  payment_failure_refund: 'taken',
  refund: 'returned',
  payment_refund: 'returned',
  refund_failure: 'returned',
  adjustment: 'disputed',
  stripe_fee: 'fee',
  tax_fee: 'fee',
  network_cost: 'fee',
  payout: 'payout',
  payout_cancel: 'payout',
  payout_failure: 'payout',
} as const
// The group of a code says enough. T11 are reversals: refunds, holds for disputes and chargebacks.
const PAYPAL_CODES = {
  'T00*': 'taken',
  'T01*': 'fee',
  'T04*': 'payout',
  T1107: 'returned',
  T1106: 'disputed',
  'T111*': 'disputed',
  'T12*': 'disputed',
  '*': 'other',
} as const
const PAYPAL_COLUMNS = {
  id: 'Transaction ID',
  at: 'Transaction Completion Date',
  kind: 'Transaction Event Code',
  currency: 'Gross Transaction Currency',
  amount: 'Gross Transaction Amount',
  direction: 'Transaction Debit or Credit',
  fee: 'Fee Amount',
  feeCurrency: 'Fee Currency',
  feeDirection: 'Fee Debit or Credit',
  orders: ['Custom Field', 'Invoice ID'],
  movements: ['Transaction ID', 'PayPal Reference ID'],
}
const PAYPAL_REPORT = {
  rows: { header: 'CH', line: 'SB' },
  kinds: PAYPAL_CODES,
  credit: 'CR',
  units: 'minor',
} as const
const BANK_COLUMNS = {
  at: 'date',
  amount: 'amount',
  currency: 'currency',
  id: 'id',
  status: 'status',
  orders: ['references'],
  texts: ['text'],
  movements: ['movements'],
}

const BANK_FORMAT: z.input<typeof StatementFormat> = {
  columns: BANK_COLUMNS,
  statuses: ['BOOK'],
  dates: 'ymd',
}

/** `needs`: all of these columns are there. `lacks`: none of these, which would make it another report. */
type Ready = { needs: string[]; lacks?: string[]; format: z.input<typeof StatementFormat> }
export const READY_FORMATS = {
  'stripe-balance': {
    needs: ['balance_transaction_id', 'created_utc', 'reporting_category', 'gross', 'source_id'],
    format: { columns: STRIPE_COLUMNS, kinds: STRIPE_KINDS, timeZone: 'UTC', feeSign: 'plus' },
  },
  'stripe-payouts': {
    needs: ['payout_id', 'effective_at_utc', 'gross', 'balance_transaction_id'],
    format: {
      columns: {
        id: 'balance_transaction_id',
        at: 'effective_at_utc',
        currency: 'currency',
        amount: 'gross',
        fee: 'fee',
        kind: 'reporting_category',
        payout: 'payout_id',
      },
      kinds: STRIPE_KINDS,
      timeZone: 'UTC',
      feeSign: 'plus',
    },
  },
  'stripe-transactions': {
    needs: [
      'id',
      'Type',
      'Source',
      'Amount',
      'Fee',
      'Net',
      'Currency',
      'Created (UTC)',
      'Available On (UTC)',
    ],
    format: {
      columns: {
        id: 'id',
        at: 'Created (UTC)',
        kind: 'Type',
        currency: 'Currency',
        amount: 'Amount',
        fee: 'Fee',
        payout: 'Transfer',
        paidAmount: 'Customer Facing Amount',
        paidCurrency: 'Customer Facing Currency',
        orders: ['kassa_reference (metadata)'],
        movements: ['Source'],
      },
      kinds: STRIPE_TYPES,
      timeZone: 'UTC',
      feeSign: 'plus',
    },
  },
  'paypal-transactions': {
    needs: ['Transaction ID', 'Transaction Event Code', 'Gross Transaction Amount', 'Transactional Status'],
    format: {
      ...PAYPAL_REPORT,
      columns: { ...PAYPAL_COLUMNS, status: 'Transactional Status' },
      // Pending, denied and reversed lines have moved no money.
      statuses: ['S'],
    },
  },
  // Only what has moved money is in it, so it has no status.
  'paypal-settlement': {
    needs: ['Transaction ID', 'Transaction Event Code', 'Gross Transaction Amount'],
    lacks: ['Transactional Status'],
    format: { ...PAYPAL_REPORT, columns: PAYPAL_COLUMNS },
  },
  'paypal-activity': {
    needs: ['Date', 'Time', 'Type', 'Status', 'Currency', 'Gross', 'Fee', 'Net', 'Transaction ID'],
    format: {
      columns: {
        id: 'Transaction ID',
        at: 'Date',
        time: 'Time',
        zone: 'TimeZone',
        kind: 'Type',
        status: 'Status',
        currency: 'Currency',
        amount: 'Gross',
        fee: 'Fee',
        orders: ['Custom Number', 'Invoice Number'],
        movements: ['Transaction ID', 'Reference Txn ID'],
      },
      kinds: {
        'Payment Refund': 'returned',
        'Partial Refund': 'returned',
        Refund: 'returned',
        'Payment Reversal': 'disputed',
        'Chargeback*': 'disputed',
        'Hold on Balance for Dispute*': 'disputed',
        'Cancellation of Hold for Dispute*': 'disputed',
        'Chargeback Fee': 'fee',
        'Dispute Fee': 'fee',
        'PayPal Fee*': 'fee',
        'Partner Fee': 'fee',
        'General Withdrawal*': 'payout',
        'User Initiated Withdrawal': 'payout',
        'Bank Deposit*': 'payout',
        'Transfer*': 'payout',
        'General Currency Conversion': 'other',
        'Account Hold*': 'other',
        'Reversal of General Account Hold': 'other',
        'Payment Review*': 'other',
        'General Authorization': 'other',
        'Payment Hold': 'other',
        'Payment Release': 'other',
      },
      otherKinds: 'sign',
      statuses: ['Completed'],
      feeSign: 'minus',
    },
  },
  // These three are made of files that are no tables. Their readers name the columns so.
  camt: {
    needs: ['camt', 'date', 'amount'],
    format: { ...BANK_FORMAT, decimalSign: '.', threeDecimals: true },
  },
  mt940: {
    needs: ['mt940', 'date', 'amount'],
    format: { ...BANK_FORMAT, decimalSign: ',', threeDecimals: true },
  },
  ofx: {
    needs: ['ofx', 'date', 'amount'],
    format: BANK_FORMAT,
  },
} as const satisfies Record<string, Ready>
export type ReadyName = keyof typeof READY_FORMATS
export const READY_NAMES = Object.keys(READY_FORMATS) as ReadyName[]

export function readyFormat(name: ReadyName): StatementFormat {
  return StatementFormat.parse(READY_FORMATS[name].format)
}

/** Returns the ready format whose columns these are, or null. */
export function findReadyFormat(columns: readonly string[]): ReadyName | null {
  const fits = ({ needs, lacks = [] }: Ready) =>
    needs.every((each) => columns.includes(each)) && !lacks.some((each) => columns.includes(each))
  return READY_NAMES.find((name) => fits(READY_FORMATS[name])) ?? null
}
