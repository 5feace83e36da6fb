/** What the simulated bank writes down: the order as its merchant describes it, and the order's page in the books. */
import { z } from 'zod'
import { CurrencyCode } from '../../../contract/fields.ts'
import { FAULTS } from './fault.ts'

/** What a buyer can choose on the bank's page. */
export const OUTCOMES = ['paid', 'declined', 'cancelled', 'pending', 'unknown'] as const
export type Outcome = (typeof OUTCOMES)[number]

export const BankOrder = z.object({
  reference: z.string(),
  merchantName: z.string(),
  amountMinor: z.int(),
  currency: CurrencyCode,
  returnUrl: z.url(),
  /** Two steps: the buyer's consent only holds the money, until it is captured. */
  twoStep: z.boolean(),
  /** Absent in orders from before the bank told anything by itself. */
  callbackUrl: z.url().optional(),
  fault: z.enum(FAULTS).optional(),
  /** Of an order that a saved card is charged for: how it declines, where it does. */
  decline: z.enum(['soft', 'hard']).optional(),
  /** Only of an order with a fault. */
  expiresAt: z.iso.datetime().optional(),
})
export type BankOrder = z.infer<typeof BankOrder>

const Time = z.iso.datetime()
const Deed = z.discriminatedUnion('deed', [
  z.object({
    deed: z.enum(['consent', 'find_again', 'open_dispute', 'win_dispute', 'lose_dispute']),
    at: Time,
  }),
  z.object({ deed: z.literal('fail_refund'), at: Time, refund: z.string() }),
])
/** Something that the bank will do by itself. */
export type Deed = z.infer<typeof Deed>

const Refund = z.object({
  id: z.string(),
  amountMinor: z.int(),
  state: z.enum(['pending', 'done', 'failed']),
})

export const BankEntry = BankOrder.extend({
  /** Null while the buyer has not chosen. */
  outcome: z.enum(OUTCOMES).nullable(),
  authorizedMinor: z.int().default(0),
  capturedMinor: z.int().default(0),
  capturedAt: Time.nullable().default(null),
  /** The hold was given up, the payment taken back, or a dispute lost. */
  reversed: z.boolean().default(false),
  refunds: z.array(Refund).default([]),
  disputed: z.boolean().default(false),
  /** Whether the first answer about the buyer's choice has been harmed by the order's fault. */
  harmed: z.boolean().default(false),
  /** How many callbacks have been written for it. */
  told: z.int().default(0),
  agenda: z.array(Deed).default([]),
})
/** An order in the bank's books. */
export type BankEntry = z.infer<typeof BankEntry>

export function readEntry(stored: unknown): BankEntry | null {
  return stored === null ? null : BankEntry.parse(stored)
}

/** Of the refunds in this state. */
export function sumOfRefunds({ refunds }: BankEntry, state: 'pending' | 'done'): number {
  return refunds
    .filter((refund) => refund.state === state)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}

/** A callback that waits to be sent. */
export type BankCallback = {
  reference: string
  /** Counted for each order, from 1. */
  number: number
  url: string
  body: string
  dueAt: Date
}
export type ClaimedCallback = Omit<BankCallback, 'dueAt'> & { attempts: number }

/** A page of the books, what is to be sent because of it, and when the bank next turns to it. */
export type BankPage = { entry: BankEntry; dueAt: Date | null; callbacks: BankCallback[] }

/** Where the bank keeps its orders. `change` runs under the order's lock; answers null when there is no such order. */
export type BankBooks = {
  find(reference: string): Promise<unknown>
  /** Opens the order unless it is open already. */
  insert(reference: string, page: BankPage): Promise<void>
  change(reference: string, change: (stored: unknown) => BankPage): Promise<unknown>
  listDue(now: Date, limit: number): Promise<string[]>
  /** When an order or a callback is next due. */
  nextDueAt(): Promise<Date | null>
  /** Takes callbacks that are due; they are due again at `leaseUntil` if nobody says better. */
  claimCallbacks(now: Date, leaseUntil: Date, limit: number): Promise<ClaimedCallback[]>
  /** Notes an attempt; `dueAt`: the next one, null when there is none. */
  noteCallback(
    callback: ClaimedCallback,
    attempt: { dueAt: Date | null; statusCode: number | null },
  ): Promise<void>
}
