/** What the service recommends about a case, from its evidence alone. */
import { findPart } from '../../payments/decisions/part-taken.ts'
import type { Evidence } from './evidence.ts'

export type Advice =
  /** An entry proves that the money was taken. */
  | 'money_was_taken'
  /** An entry proves that less than the amount was taken. */
  | 'part_was_taken'
  | 'provider_does_not_answer'
  | 'ask_provider_again'
  | 'look_at_bank'
  | 'answer_dispute'
  | 'look_in_provider_records'
  | 'print_again'
  | 'look_on_roll'
  | 'look_at_payment'
  | 'look_at_token'
  | 'compare_with_provider'
  | 'ask_for_movement'
  | 'find_owner'
  | 'mend_receiver'
  | 'send_again'
  | 'test_account'
  | 'ask_second_person'
  | 'wait_for_restore'

export function adviceOn(evidence: Evidence): Advice {
  switch (evidence.found.kind) {
    case 'undecided':
      return onUndecided(evidence)
    case 'disputed':
      return 'answer_dispute'
    case 'operation':
      return isSilent(evidence) ? 'provider_does_not_answer' : 'look_in_provider_records'
    case 'receipt':
      return evidence.receipt?.status === 'failed' ? 'print_again' : 'look_on_roll'
    case 'warning':
      return 'look_at_payment'
    case 'refund_limit':
      return 'look_at_token'
    case 'difference':
      return onDifference(evidence)
    case 'callback_paused':
      return 'mend_receiver'
    case 'events_given_up':
      return 'send_again'
    case 'account':
      return 'test_account'
    case 'approval':
      return 'ask_second_person'
    case 'restore':
      return 'wait_for_restore'
  }
}

function onUndecided(evidence: Evidence): Advice {
  const payment = evidence.timeline?.payment
  const own = evidence.timeline?.entries.filter(({ attempt }) => attempt === payment?.ownAttempt)
  if (payment && findPart(payment, 'paid') !== null) return 'part_was_taken'
  if (own?.some(({ kind }) => kind === 'taken')) return 'money_was_taken'
  if (!evidence.canAsk) return 'look_at_bank'
  return isSilent(evidence) ? 'provider_does_not_answer' : 'ask_provider_again'
}

/** Whether the last request about the payment had no answer. */
function isSilent({ timeline }: Evidence): boolean {
  const last = timeline?.exchanges.at(-1)
  return last !== undefined && (last.failure !== null || (last.status ?? 0) >= 500)
}

function onDifference({ finding }: Evidence): Advice {
  if (finding?.kind === 'missing_there') return 'ask_for_movement'
  if (finding?.kind === 'missing_here' && finding.paymentId === null) return 'find_owner'
  return 'compare_with_provider'
}
