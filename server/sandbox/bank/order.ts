/** What the simulated bank stores: the order as its merchant describes it, and what has happened to it. */
import { z } from 'zod'
import { type BankAddress, BankOrder } from '../../providers/sandbox/wire.ts'

export { type BankAddress, BankOrder } from '../../providers/sandbox/wire.ts'

/** What a buyer can choose on the bank's page. */
export const OUTCOMES = [
  'paid',
  'declined',
  'cancelled',
  'pending',
  'held_then_paid',
  'held_then_declined',
  'unknown',
] as const
export type Outcome = (typeof OUTCOMES)[number]

const Time = z.iso.datetime()
const PlannedDeed = z.discriminatedUnion('deed', [
  z.object({
    deed: z.enum([
      'consent',
      'refuse',
      'find_again',
      'open_dispute',
      'win_dispute',
      'lose_dispute',
      'end_session',
    ]),
    at: Time,
  }),
  z.object({ deed: z.literal('fail_refund'), at: Time, refund: z.string() }),
])
/** Something that the bank will do on its own. */
export type PlannedDeed = z.infer<typeof PlannedDeed>

/** What a callback reports. */
type BankEvent =
  | 'approved'
  | 'captured'
  | 'declined'
  | 'cancelled'
  | 'expired'
  | 'reversed'
  | 'refunded'
  | 'refund_failed'
  | 'dispute_opened'
  | 'dispute_won'
  | 'dispute_lost'

/** The report to the merchant, and when it happened. `delayMs`: how much later than usual. */
export type BankReport = { event: BankEvent; at: Date; delayMs?: number }

const Refund = z.object({
  id: z.string(),
  /** The key of the write, if it had one. */
  key: z.string().optional(),
  amountMinor: z.int(),
  state: z.enum(['pending', 'done', 'failed']),
})

const Dispute = z.object({ amountMinor: z.int(), state: z.enum(['open', 'won', 'lost']) })

/** A write that came with a key. A repeated key gets the same verdict, until the bank forgets it. */
const KeyedWrite = z.object({ key: z.string(), write: z.string(), at: Time, verdict: z.unknown() })

export const BankEntry = BankOrder.extend({
  /** The bank's customer to whom the order belongs. */
  customer: z.string().default('kassa'),
  /** The customer ended it before the buyer chose. */
  withdrawn: z.boolean().default(false),
  /** The bank's own time limit ended it before the buyer chose. */
  lapsed: z.boolean().default(false),
  keyedWrites: z.array(KeyedWrite).default([]),
  /** Null while the buyer has not chosen. */
  outcome: z.enum(OUTCOMES).nullable(),
  authorizedMinor: z.int().default(0),
  capturedMinor: z.int().default(0),
  capturedAt: Time.nullable().default(null),
  /** The hold was released, or the payment voided. */
  reversed: z.boolean().default(false),
  refunds: z.array(Refund).default([]),
  disputes: z.array(Dispute).default([]),
  /** Whether the order's fault has already harmed the first response about the buyer's choice. */
  harmed: z.boolean().default(false),
  /** How many callbacks have been stored for it. */
  told: z.int().default(0),
  agenda: z.array(PlannedDeed).default([]),
})
/** An order in the bank's records. */
export type BankEntry = z.infer<typeof BankEntry>

export function readEntry(stored: unknown): BankEntry | null {
  return stored === null ? null : BankEntry.parse(stored)
}

/** Returns whether the order is closed for buyers. */
export function isClosed({ outcome, withdrawn, lapsed }: BankEntry): boolean {
  return outcome !== null || withdrawn || lapsed
}

/** Returns the sum of the refunds in this state. */
export function sumOfRefunds({ refunds }: BankEntry, state: 'pending' | 'done'): number {
  return refunds
    .filter((refund) => refund.state === state)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}

/** Returns the sum of the disputes in this state. */
export function sumOfDisputes({ disputes }: BankEntry, state: 'open' | 'lost'): number {
  return disputes
    .filter((dispute) => dispute.state === state)
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
}

/** A callback that waits to be sent. */
export type BankCallback = BankAddress & {
  /** Counted for each order, from 1. */
  number: number
  url: string
  body: string
  dueAt: Date
}
export type ClaimedCallback = Omit<BankCallback, 'dueAt'> & { attempts: number }

/** An order's row, its new callbacks, and when the bank next has to work on it. */
export type BankPage = { entry: BankEntry; dueAt: Date | null; callbacks: BankCallback[] }

/** Where the bank stores its orders. `change` runs under the order's lock. It returns null when there is no such order. */
export type BankStore = {
  find(at: BankAddress): Promise<unknown>
  /** Opens the order unless it is open already. */
  insert(at: BankAddress, page: BankPage): Promise<void>
  change(at: BankAddress, change: (stored: unknown) => BankPage): Promise<unknown>
  listDue(now: Date, limit: number): Promise<BankAddress[]>
  /** When an order or a callback is next due. */
  nextDueAt(): Promise<Date | null>
  /** Claims callbacks that are due. They are due again at `leaseUntil`, unless they are finished before. */
  claimCallbacks(now: Date, leaseUntil: Date, limit: number): Promise<ClaimedCallback[]>
  /** Stores an attempt. `dueAt`: the time of the next attempt, or null when there is none. */
  noteCallback(
    callback: ClaimedCallback,
    attempt: { dueAt: Date | null; statusCode: number | null },
  ): Promise<void>
}
