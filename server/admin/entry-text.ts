/** Describes the movements of a payment's money. */
import type { EntryRecord, Timeline } from '../operator/payment-timeline.ts'
import { amount, moment, table } from './layout.ts'

const WORDS: Record<EntryRecord['kind'], string> = {
  held: 'held',
  released: 'hold released',
  taken: 'taken',
  taken_back: 'taking undone',
  refunded: 'refunded',
  refund_failed: 'refund failed after all',
  dispute_opened: 'disputed by the buyer',
  dispute_won: 'dispute ended for the shop',
  dispute_lost: 'dispute lost, returned to the buyer',
  dispute_regained: 'came back from a lost dispute',
  unmatched: 'came outside the payment',
  matched: "of that, became the payment's",
  over_returned: 'returned beyond what was taken',
}

/** Null if no money has moved. */
export function entriesText({ entries, payment }: Timeline): string | null {
  if (entries.length === 0) return null
  const rows = entries.map(({ kind, attempt, amountMinor, currency, providerId, proof, ...at }) => [
    moment(at.movedAt ?? at.createdAt),
    attempt === payment.ownAttempt ? WORDS[kind] : `surplus of attempt ${attempt}: ${WORDS[kind]}`,
    amount(amountMinor, currency),
    proof,
    providerId ?? '',
  ])
  return `Money\n${table(['When', 'What', 'Amount', 'Known by', "Provider's id"], rows)}`
}
