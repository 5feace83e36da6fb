/**
 * How the columns of a statement are read: the formats that come ready, and the shape of one that a person describes.
 * Sources, read on 2026-11-23: Stripe, https://docs.stripe.com/reports/report-types/balance, .../report-types/payout-reconciliation
 * and https://docs.stripe.com/reports/reporting-categories. PayPal, https://developer.paypal.com/reports/transaction-detail and
 * https://developer.paypal.com/reports/reference/t-codes.
 */
import { z } from 'zod'
import { isTimeZone } from '../contract/time-zone.ts'
import { LINE_KINDS } from '../storage/reports/statements.ts'

const Column = z.string().min(1).max(100)
const Columns = z.array(Column).max(5)

export const StatementFormat = z.strictObject({
  /** The first cell of the row with the names of the columns, and of the rows with lines. Absent: the first row has the names. */
  rows: z.strictObject({ header: z.string(), line: z.string() }).optional(),
  columns: z.strictObject({
    at: Column,
    amount: Column,
    currency: Column.optional(),
    /** The provider's id of the line. Without it equal lines are counted. */
    id: Column.optional(),
    kind: Column.optional(),
    fee: Column.optional(),
    feeCurrency: Column.optional(),
    /** Says whether money came or went, where amounts have no sign. */
    direction: Column.optional(),
    feeDirection: Column.optional(),
    status: Column.optional(),
    payout: Column.optional(),
    /** The amount and the currency that the buyer paid, where the account is kept in another currency. */
    paidAmount: Column.optional(),
    paidCurrency: Column.optional(),
    /** Columns that may have our reference of the order. */
    orders: Columns.default([]),
    /** Columns that may have the provider's id of the movement. */
    movements: Columns.default([]),
  }),
  /** What each text of the column `kind` means. A text that ends in * is the beginning of others. */
  kinds: z.record(z.string(), z.enum(LINE_KINDS)).default({}),
  /** Lines with another status are left out. */
  statuses: z.array(z.string()).optional(),
  /** The text of `direction` for money that came. */
  credit: z.string().optional(),
  /** In minor units without a decimal sign, or in major units with one. */
  units: z.enum(['minor', 'major']).default('major'),
  decimalSign: z.enum(['.', ',']).default('.'),
  /** The order of the parts of a date. */
  dates: z.enum(['ymd', 'dmy', 'mdy']).default('ymd'),
  timeZone: z.string().refine(isTimeZone, 'no such time zone').default('UTC'),
  /** Of lines without a currency of their own. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
})
export type StatementFormat = z.infer<typeof StatementFormat>

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

/** The columns that tell a ready format from the others must all be there. */
type Ready = { needs: string[]; format: z.input<typeof StatementFormat> }
export const READY_FORMATS = {
  'stripe-balance': {
    needs: ['balance_transaction_id', 'created_utc', 'reporting_category', 'gross', 'source_id'],
    format: { columns: STRIPE_COLUMNS, kinds: STRIPE_KINDS },
  },
  'stripe-payouts': {
    needs: ['payout_id', 'effective_at_utc', 'gross', 'balance_transaction_id'],
    format: {
      columns: {
        ...{ id: 'balance_transaction_id', at: 'effective_at_utc', currency: 'currency', amount: 'gross' },
        ...{ fee: 'fee', kind: 'reporting_category', payout: 'payout_id' },
      },
      kinds: STRIPE_KINDS,
    },
  },
  'paypal-transactions': {
    needs: ['Transaction ID', 'Transaction Event Code', 'Gross Transaction Amount'],
    format: {
      rows: { header: 'CH', line: 'SB' },
      columns: {
        id: 'Transaction ID',
        at: 'Transaction Completion Date',
        kind: 'Transaction Event Code',
        currency: 'Gross Transaction Currency',
        amount: 'Gross Transaction Amount',
        direction: 'Transaction Debit or Credit',
        fee: 'Fee Amount',
        feeCurrency: 'Fee Currency',
        feeDirection: 'Fee Debit or Credit',
        status: 'Transactional Status',
        orders: ['Custom Field', 'Invoice ID'],
        movements: ['Transaction ID', 'PayPal Reference ID'],
      },
      // The group of a code says enough. T11 are reversals: refunds, holds for disputes and chargebacks.
      kinds: {
        'T00*': 'taken',
        'T01*': 'fee',
        'T04*': 'payout',
        T1107: 'returned',
        T1106: 'disputed',
        'T111*': 'disputed',
        'T12*': 'disputed',
        '*': 'other',
      },
      // Pending, denied and reversed lines have moved no money.
      statuses: ['S'],
      credit: 'CR',
      units: 'minor',
    },
  },
} as const satisfies Record<string, Ready>
export type ReadyName = keyof typeof READY_FORMATS
export const READY_NAMES = Object.keys(READY_FORMATS) as ReadyName[]

export function readyFormat(name: ReadyName): StatementFormat {
  return StatementFormat.parse(READY_FORMATS[name].format)
}

/** Returns the ready format whose columns these are, or null. */
export function findReadyFormat(columns: readonly string[]): ReadyName | null {
  return READY_NAMES.find((name) => READY_FORMATS[name].needs.every((each) => columns.includes(each))) ?? null
}

/** The columns that a format cannot do without, and which are not there. */
export function findMissingColumns({ columns }: StatementFormat, present: readonly string[]): string[] {
  const { at, amount, currency, id, kind, direction } = columns
  return [at, amount, currency, id, kind, direction].filter(
    (each) => each !== undefined && !present.includes(each),
  ) as string[]
}
