/** The faults that a test or a person can cause for one order of the simulated gateway: its description has `simulate:<name>`. */
import type { SomeOf } from '../../../sandbox/register/faults.ts'

export const LATE_MS = 30_000

type Hooks = {
  /** The amount and the currency that answers state. */
  statedAmount(minor: number): number
  statedCurrency: string
  /** What the bank takes of the amount. */
  takenOf(minor: number): number
  /** The bank of the card decides so much later. */
  lateMs: number
  endsAtOnce: true
  /** So long after a refund it is undone. */
  refundFailsAfterMs: number
  disputesAfterMs: number
  /** How the callbacks of one change are sent. */
  sent(all: readonly string[]): string[]
}

const HOOKS = {
  wrong_amount: { statedAmount: (minor) => minor + 1 },
  wrong_currency: { statedCurrency: '978' },
  underpaid: { takenOf: (minor) => Math.floor(minor / 2) },
  late_paid: { lateMs: LATE_MS },
  expires_early: { endsAtOnce: true },
  refund_fails_later: { refundFailsAfterMs: LATE_MS },
  refund_fails_after_success: { refundFailsAfterMs: LATE_MS },
  disputed: { disputesAfterMs: 0 },
  duplicate_callback: { sent: (all) => [...all, ...all] },
  reversed_callbacks: { sent: (all) => all.toReversed() },
} as const satisfies Record<string, SomeOf<Hooks>>

export type Fault = keyof typeof HOOKS

export function hooksOf(fault: Fault | undefined): Partial<Hooks> {
  return fault ? HOOKS[fault] : {}
}

export function faultIn(description: string): Fault | undefined {
  const [, name] = /simulate:(\w+)/.exec(description) ?? []
  return (Object.keys(HOOKS) as Fault[]).find((fault) => fault === name)
}
