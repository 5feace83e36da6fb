/** How the columns of a statement are read, as a person describes it, as a ready format has it, or as the file shows it. */
import { z } from 'zod'
import { isTimeZone } from '../../contract/time-zone.ts'
import { LINE_KINDS } from '../../storage/reports/statements.ts'
import { DAY_ORDERS } from '../../written/time.ts'
import { ENCODINGS } from './encoding.ts'

const Column = z.string().min(1).max(100)
const Columns = z.array(Column).max(30)

const Described = z.strictObject({
  /** The first cell of the row with the names of the columns, and of the rows with lines. Absent: the first row has the names. */
  rows: z.strictObject({ header: z.string(), line: z.string() }).optional(),
  /** The table has no row with names: its columns are called 1, 2, 3. */
  head: z.literal('none').optional(),
  columns: z.strictObject({
    at: Column,
    /** The time of the day, and its zone, where they have columns of their own. */
    time: Column.optional(),
    zone: Column.optional(),
    /** With a sign, or beside a direction. Else `debit` or `credit` is there, or both are. */
    amount: Column.optional(),
    /** Money that went, and money that came. A statement of a card may have one of them alone. */
    debit: Column.optional(),
    credit: Column.optional(),
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
    /** Columns with a text in which the buyer may have written the number of the order. */
    texts: Columns.default([]),
    /** Columns that may have the provider's id of the movement. */
    movements: Columns.default([]),
  }),
  /** What each text of the column `kind` means. A text that ends in * is the beginning of others. */
  kinds: z.record(z.string(), z.enum(LINE_KINDS)).default({}),
  /** Texts that are not in `kinds`: another kind, or money that came or went by its sign. Without any kinds, the sign. */
  otherKinds: z.enum(['other', 'sign']).optional(),
  /** Lines with another status are left out. */
  statuses: z.array(z.string()).optional(),
  /** The text of `direction` for money that came. */
  credit: z.string().optional(),
  /** What an amount without a sign means: money that came, whatever the words beside it are, or money that went. */
  unsigned: z.enum(['came', 'went']).optional(),
  /** Absent: the whole file shows it. */
  encoding: z.enum(ENCODINGS).optional(),
  /** In minor units without a decimal sign, or in major units with one. Absent: the names of the columns show it. */
  units: z.enum(['minor', 'major']).optional(),
  /** Whether a fee that the provider has kept is written with a minus. Absent: the file shows it. */
  feeSign: z.enum(['plus', 'minus']).optional(),
  /** Absent: the whole column shows it. */
  decimalSign: z.enum(['.', ',']).optional(),
  /** Three digits behind the decimal sign are decimals. Else an amount such as 1.250 is asked about. */
  threeDecimals: z.boolean().optional(),
  /** The order of the parts of a day. Absent: the whole column shows it. */
  dates: z.enum(DAY_ORDERS).optional(),
  /** Absent: the zone of the shop. */
  timeZone: z.string().refine(isTimeZone, 'no such time zone').optional(),
  /** The currency of lines without one of their own. It also decides what a sign such as $ beside all amounts means. */
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/)
    .optional(),
  /** Lines with one id, of one kind and with different amounts are different movements. */
  equalIds: z.literal('both').optional(),
  /** The words for directions and statuses that the file had when a person answered. A later file may have others. */
  wordsKnown: z.array(z.string()).max(100).optional(),
  /** One sign stands beside all amounts, or the name of their column states another currency, and a person has said that it means `currency`. */
  currencyIsSaid: z.boolean().optional(),
})
/** What a person may say about a file besides its columns. */
export const AnswersGiven = Described.pick({
  encoding: true,
  decimalSign: true,
  threeDecimals: true,
  dates: true,
  currency: true,
  timeZone: true,
  credit: true,
  unsigned: true,
  statuses: true,
  feeSign: true,
  equalIds: true,
  wordsKnown: true,
})

export const StatementFormat = Described.refine(
  ({ columns: { amount, debit, credit } }) =>
    amount !== undefined || debit !== undefined || credit !== undefined,
  { path: ['columns'], message: 'say which column is amount, or which are debit and credit' },
)
export type StatementFormat = z.infer<typeof StatementFormat>

/** The columns that a format cannot do without, and which are not there. */
export function findMissingColumns({ columns }: StatementFormat, present: readonly string[]): string[] {
  const { at, amount, debit, credit, currency, id, kind, direction } = columns
  return [at, amount, debit, credit, currency, id, kind, direction].filter(
    (each): each is string => each !== undefined && !present.includes(each),
  )
}
