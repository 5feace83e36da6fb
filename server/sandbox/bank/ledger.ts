/**
 * What happens to an order at the simulated bank after the buyer's choice, and on its own over time. Every function takes an
 * order and the time, and returns the changed order.
 */
import { hooksOf } from '../faults.ts'
import {
  BankEntry,
  type BankOrder,
  type BankReport,
  isClosed,
  type Outcome,
  type PlannedDeed,
  sumOfRefunds,
} from './order.ts'

/** How long a `pending` choice takes to settle. */
const SETTLE_MS = 5_000
/** How long the bank works on a payment that it holds: longer than a session lasts. */
const HELD_MS = 2 * 3_600_000
/** After this time a lost response can be looked up. */
export const FOUND_AGAIN_MS = 12 * 3_600_000

/** `reports`: what is reported to the merchant. */
export type OrderChange = { entry: BankEntry; reports: BankReport[] }

export const withoutReports = (entry: BankEntry): OrderChange => ({ entry, reports: [] })
type Plannable = Exclude<PlannedDeed['deed'], 'fail_refund'>
const plan = (entry: BankEntry, deed: Plannable, at: Date): BankEntry => ({
  ...entry,
  agenda: [...entry.agenda, { deed, at: at.toISOString() }],
})
export const after = (at: Date, ms: number) => new Date(at.getTime() + ms)

/** Returns an order as it is opened. */
export function open(customer: string, order: BankOrder, now: Date): BankEntry {
  const agenda = hooksOf(order.fault).opening?.(order, now) ?? []
  return BankEntry.parse({ ...order, customer, outcome: null, agenda })
}

/** Applies the buyer's choice. Only the first choice counts. */
export function choose(entry: BankEntry, outcome: Outcome, now: Date): OrderChange {
  if (isClosed(entry)) return withoutReports(entry)
  const chosen = { ...entry, outcome, agenda: [] }
  switch (outcome) {
    case 'cancelled':
      return { entry: chosen, reports: [{ event: 'cancelled', at: now }] }
    case 'unknown':
      return withoutReports(plan(chosen, 'find_again', after(now, FOUND_AGAIN_MS)))
    case 'held_then_paid':
      return withoutReports(plan(chosen, 'consent', after(now, HELD_MS)))
    case 'held_then_declined':
      return withoutReports(plan(chosen, 'refuse', after(now, HELD_MS)))
    case 'pending':
    case 'declined':
    case 'paid': {
      const { paidAfterMs } = hooksOf(entry.fault)
      const declined: OrderChange = {
        entry: { ...chosen, outcome: 'declined' },
        reports: [{ event: 'declined', at: now }],
      }
      if (paidAfterMs !== undefined)
        return { ...declined, entry: plan(declined.entry, 'consent', after(now, paidAfterMs)) }
      if (outcome === 'declined') return declined
      return outcome === 'paid'
        ? consent(chosen, now)
        : withoutReports(plan(chosen, 'consent', after(now, SETTLE_MS)))
    }
  }
}

function consent(entry: BankEntry, at: Date): OrderChange {
  const amountMinor = hooksOf(entry.fault).consent?.(entry.amountMinor) ?? entry.amountMinor
  const held: BankEntry = { ...entry, outcome: 'paid', authorizedMinor: amountMinor }
  return entry.twoStep ? { entry: held, reports: [{ event: 'approved', at }] } : take(held, amountMinor, at)
}

/** Takes the money. */
export function take(entry: BankEntry, amountMinor: number, at: Date): OrderChange {
  const taken = { ...entry, capturedMinor: amountMinor, capturedAt: at.toISOString() }
  const { dispute } = hooksOf(entry.fault)
  return {
    entry: dispute ? plan(taken, 'open_dispute', after(at, dispute.opensAfterMs)) : taken,
    reports: [{ event: 'captured', at }],
  }
}

function openDispute(entry: BankEntry, at: Date): OrderChange {
  const { dispute } = hooksOf(entry.fault)
  const restMinor = entry.capturedMinor - sumOfRefunds(entry, 'done')
  if (!dispute || entry.reversed || restMinor <= 0) return withoutReports(entry)
  const disputes = [...entry.disputes, { amountMinor: dispute.share(restMinor), state: 'open' as const }]
  const end = dispute.isWon ? 'win_dispute' : 'lose_dispute'
  return {
    entry: plan({ ...entry, disputes }, end, after(at, dispute.lastsMs)),
    reports: [{ event: 'dispute_opened', at }],
  }
}

function decideDispute(entry: BankEntry, state: 'won' | 'lost'): BankEntry {
  const disputes = entry.disputes.map((each) => (each.state === 'open' ? { ...each, state } : each))
  return { ...entry, disputes }
}

function perform(entry: BankEntry, deed: PlannedDeed): OrderChange {
  const at = new Date(deed.at)
  switch (deed.deed) {
    case 'consent':
      return consent(entry, at)
    case 'refuse':
      return { entry: { ...entry, outcome: 'declined' }, reports: [{ event: 'declined', at }] }
    case 'find_again':
      // The callback was lost together with the response. Another question finds out.
      return withoutReports(consent(entry, at).entry)
    case 'end_session':
      return { entry: { ...entry, lapsed: true }, reports: [{ event: 'expired', at }] }
    case 'open_dispute':
      return openDispute(entry, at)
    case 'win_dispute':
      return { entry: decideDispute(entry, 'won'), reports: [{ event: 'dispute_won', at }] }
    case 'lose_dispute':
      return { entry: decideDispute(entry, 'lost'), reports: [{ event: 'dispute_lost', at }] }
    case 'fail_refund': {
      const fail = (refund: BankEntry['refunds'][number]) =>
        refund.id === deed.refund ? { ...refund, state: 'failed' as const } : refund
      return {
        entry: { ...entry, refunds: entry.refunds.map(fail) },
        reports: [{ event: 'refund_failed', at }],
      }
    }
  }
}

/** Returns when the bank next does something to the order on its own. */
export function nextDeed({ agenda }: BankEntry): PlannedDeed | undefined {
  return agenda.toSorted((left, right) => left.at.localeCompare(right.at))[0]
}

/** Does everything that is due, in order. */
export function catchUp(entry: BankEntry, now: Date): OrderChange {
  const deed = nextDeed(entry)
  if (!deed || new Date(deed.at) > now) return withoutReports(entry)
  const done = perform({ ...entry, agenda: entry.agenda.filter((each) => each !== deed) }, deed)
  const rest = catchUp(done.entry, now)
  return { entry: rest.entry, reports: [...done.reports, ...rest.reports] }
}
