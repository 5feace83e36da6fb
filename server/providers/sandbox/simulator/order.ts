/** What the simulated bank writes down: the order as its merchant describes it, and the order's page in the books. */
import { z } from 'zod'
import { type BankAddress, BankOrder } from '../wire.ts'

export { type BankAddress, BankOrder } from '../wire.ts'

/** What a buyer can choose on the bank's page. */
export const OUTCOMES = ['paid', 'declined', 'cancelled', 'pending', 'unknown'] as const
export type Outcome = (typeof OUTCOMES)[number]

const Time = z.iso.datetime()
const Deed = z.discriminatedUnion('deed', [
  z.object({
    deed: z.enum(['consent', 'find_again', 'open_dispute', 'win_dispute', 'lose_dispute', 'end_session']),
    at: Time,
  }),
  z.object({ deed: z.literal('fail_refund'), at: Time, refund: z.string() }),
])
/** Something that the bank will do by itself. */
export type Deed = z.infer<typeof Deed>

const Refund = z.object({
  id: z.string(),
  /** The key of the write, if it had one. */
  key: z.string().optional(),
  amountMinor: z.int(),
  state: z.enum(['pending', 'done', 'failed']),
})

/** A write that came with a key. The same key again gets the same verdict, until the bank forgets it. */
const KeyedWrite = z.object({ key: z.string(), write: z.string(), at: Time, verdict: z.unknown() })

export const BankEntry = BankOrder.extend({
  /** Whose order it is. */
  customer: z.string().default('kassa'),
  /** The customer has ended it before anybody chose. */
  withdrawn: z.boolean().default(false),
  /** The bank's own time limit ended it before anybody chose. */
  lapsed: z.boolean().default(false),
  keyedWrites: z.array(KeyedWrite).default([]),
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

/** Whether nobody can choose any more. */
export function isClosed({ outcome, withdrawn, lapsed }: BankEntry): boolean {
  return outcome !== null || withdrawn || lapsed
}

/** Of the refunds in this state. */
export function sumOfRefunds({ refunds }: BankEntry, state: 'pending' | 'done'): number {
  return refunds
    .filter((refund) => refund.state === state)
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

/** A page of the books, what is to be sent because of it, and when the bank next turns to it. */
export type BankPage = { entry: BankEntry; dueAt: Date | null; callbacks: BankCallback[] }

/** Where the bank keeps its orders. `change` runs under the order's lock; answers null when there is no such order. */
export type BankBooks = {
  find(at: BankAddress): Promise<unknown>
  /** Opens the order unless it is open already. */
  insert(at: BankAddress, page: BankPage): Promise<void>
  change(at: BankAddress, change: (stored: unknown) => BankPage): Promise<unknown>
  listDue(now: Date, limit: number): Promise<BankAddress[]>
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
