/**
 * What each fault of the simulated bank does. A fault is a row of this table, and its hooks are all that it does: the bank and the
 * register have no other code for a fault. Durations in ms.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { CURRENCY_CODES } from '../contract/currencies.ts'
import type { SandboxFault } from '../contract/faults.ts'
import type { BankOrder, BankReport, PlannedDeed } from './bank/order.ts'
import type { RefusesOrder, SomeOf } from './register/faults.ts'
import type { Reply } from './request.ts'

const SLOW_MS = 8_000
/** How late the money of `late_paid` is, after the decline or the expiry. */
export const LATE_MS = 30_000
/** How long a buyer has to choose with `expires_early`. */
export const EARLY_MS = 60_000
/** How much later the first callback of `reversed_callbacks` is sent. */
export const HELD_BACK_MS = 10_000
export const REFUND_FAILS_MS = 20_000
export const DISPUTE_OPENS_MS = 20_000
export const DISPUTE_LASTS_MS = 60_000

/** Each hook is called at one place, which does the usual thing if the order's fault does not have it. */
type Hooks = {
  /** What the bank plans when an order is opened. */
  opening(order: BankOrder, now: Date): PlannedDeed[]
  /** The bank declines a buyer who pays, and still takes the money after this time. */
  paidAfterMs: number
  /** How much of the order's amount the bank takes or holds. */
  consent(amountMinor: number): number
  /** The order's amount and currency, as the bank reports them after the buyer's choice. */
  terms(order: BankOrder): Pick<BankOrder, 'amountMinor' | 'currency'>
  /** The callbacks that are sent for a change. `told`: how many were written before. */
  callbacks(letters: BankReport[], order: BankOrder & { told: number }): BankReport[]
  /** What the bank says to a refund, and how long after that the refund fails. */
  refund: { result: 'done' | 'pending'; failsAfterMs: number }
  /** The dispute that follows when money was taken: how much of the rest it is about, and how it ends. */
  dispute: { opensAfterMs: number; share(restMinor: number): number; lastsMs: number; isWon: boolean }
  /**
   * The first reply after the buyer's choice, and the reply to each write, as they arrive. The bank has acted before.
   * @throws Error if nothing arrives
   */
  reply(reply: Reply): Promise<Reply>
  /** Whether the cash register refuses to print. */
  receipt: RefusesOrder
}

const DISPUTE = { opensAfterMs: DISPUTE_OPENS_MS, lastsMs: DISPUTE_LASTS_MS }
const WHOLE = (minor: number) => minor
const HALF = (minor: number) => Math.ceil(minor / 2)
const plan = (deed: 'consent' | 'end_session', at: Date, ms: number): PlannedDeed[] => [
  { deed, at: new Date(at.getTime() + ms).toISOString() },
]

const HOOKS = {
  answer_lost: {
    async reply() {
      throw new Error('the connection to the bank was lost')
    },
  },
  slow: {
    async reply(reply) {
      await sleep(SLOW_MS, undefined, { ref: false })
      return reply
    },
  },
  http500_after: {
    reply: async () => ({ status: 500, text: '<h1>Internal Server Error</h1>' }),
  },
  malformed: {
    reply: async ({ status, text }) => ({ status, text: text.slice(0, text.length / 2) }),
  },
  wrong_amount: {
    terms: ({ amountMinor, currency }) => ({ amountMinor: amountMinor + 1, currency }),
  },
  wrong_currency: {
    terms: ({ amountMinor, currency }) => ({
      amountMinor,
      currency: CURRENCY_CODES.find((each) => each !== currency) ?? currency,
    }),
  },
  underpaid: { consent: (amountMinor) => Math.max(1, Math.floor(amountMinor / 2)) },
  late_paid: {
    opening: ({ expiresAt }) => (expiresAt ? plan('consent', new Date(expiresAt), LATE_MS) : []),
    paidAfterMs: LATE_MS,
  },
  expires_early: { opening: (_order, now) => plan('end_session', now, EARLY_MS) },
  duplicate_callback: { callbacks: (letters) => letters.flatMap((each) => [each, each, each]) },
  reversed_callbacks: {
    callbacks(letters, { twoStep, told }) {
      const [first, ...rest] = letters
      if (told > 0 || !first) return letters
      const isTaken = first.event === 'captured' && !twoStep
      const held: BankReport = { ...first, ...(isTaken && { event: 'approved' }), delayMs: HELD_BACK_MS }
      return [held, ...(isTaken ? [first] : []), ...rest]
    },
  },
  refund_fails_later: { refund: { result: 'pending', failsAfterMs: REFUND_FAILS_MS } },
  refund_fails_after_success: { refund: { result: 'done', failsAfterMs: REFUND_FAILS_MS } },
  dispute_won: { dispute: { ...DISPUTE, share: WHOLE, isWon: true } },
  dispute_lost: { dispute: { ...DISPUTE, share: WHOLE, isWon: false } },
  dispute_part_lost: { dispute: { ...DISPUTE, share: HALF, isWon: false } },
  receipt_fails_once: { receipt: ({ isRefund, isKnown }) => !isRefund && !isKnown },
} as const satisfies Record<SandboxFault, SomeOf<Hooks>>

/** Returns what the fault of an order changes. Without a fault nothing. */
export function hooksOf(fault: SandboxFault | undefined): Partial<Hooks> {
  return fault ? HOOKS[fault] : {}
}

/** Returns the reply as it arrives. @throws Error if nothing arrives */
export async function send(fault: SandboxFault | undefined, reply: Reply): Promise<Reply> {
  return hooksOf(fault).reply?.(reply) ?? reply
}
