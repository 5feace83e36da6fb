/** What a payment is worth at a counter: may the goods be handed over? */
import type { Story } from '../../operator/story/story.ts'
import type { ConsoleKey } from '../words/translate.ts'

/** `wait`: it may still be paid. `ask`: nobody knows, or the money may be taken back. */
export type Answer = 'yes' | 'no' | 'wait' | 'ask'
/** `head`: the answer in a few words. `todo`: what the cashier does now. */
export type Verdict = { answer: Answer; head: ConsoleKey; todo: ConsoleKey }

const verdict = (answer: Answer, head: ConsoleKey, todo: ConsoleKey): Verdict => ({ answer, head, todo })

const NOT_YET = verdict('wait', 'verdictWait', 'todoWait')
const NOT_PAID = verdict('no', 'verdictNo', 'todoNo')
const BACK = verdict('no', 'verdictBack', 'todoBack')

const VERDICTS: Record<Story['status'], Verdict> = {
  created: NOT_YET,
  pending_redirect: NOT_YET,
  pending_payment: NOT_YET,
  authorized: verdict('yes', 'verdictHeld', 'todoHeld'),
  paid: verdict('yes', 'verdictYes', 'todoYes'),
  partially_refunded: verdict('yes', 'verdictPart', 'todoPart'),
  refunded: BACK,
  reversed: BACK,
  disputed: verdict('ask', 'verdictDisputed', 'todoDisputed'),
  failed: NOT_PAID,
  cancelled: NOT_PAID,
  expired: NOT_PAID,
  status_unknown: verdict('ask', 'verdictAsk', 'todoAsk'),
}

/** `isUnderWay`: the buyer has finished, and the bank has not. */
export function verdictOf({ status, isUnderWay }: Pick<Story, 'status' | 'isUnderWay'>): Verdict {
  if (status === 'pending_payment' && isUnderWay) return verdict('wait', 'verdictBank', 'todoBank')
  return VERDICTS[status]
}
