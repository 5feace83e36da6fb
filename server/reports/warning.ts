/** The sentence about a difference that stays with its payment, so that the payment is a case for a person. */
import type { NewFinding, Side } from '../storage/reports/findings.ts'

const DEEDS: Record<Side, string> = {
  taken: 'was taken',
  returned: 'was given back',
  disputed: 'is disputed or was lost in a dispute',
}

export function warningOf(accountId: string, { side, ...each }: NewFinding): string {
  const { oursMinor, theirsMinor, currency, theirCurrency } = each
  return `the statement of ${accountId} says that ${theirsMinor} (${theirCurrency}, minor units) ${DEEDS[side]}, and the entries that are not on it say ${oursMinor} (${currency})`
}
