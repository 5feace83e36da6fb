/** What a command prints for an act that waits for a second person. */

import { CURRENCY_CODES } from '../contract/fields.ts'
import { type Proposal, presentProposal } from '../operator/approvals/listing.ts'
import type { Handover } from '../operator/approvals/stake.ts'
import { decimalAmount } from '../payments/money.ts'
import { ADMIN, type Outcome } from './command.ts'
import { moment, pairs, paragraphs } from './layout.ts'

/** What the act alone moves; null for what redirects money. */
export function sumText({
  amountMinor,
  currency,
}: Pick<Proposal, 'amountMinor' | 'currency'>): string | null {
  const code = CURRENCY_CODES.find((each) => each === currency)
  return amountMinor === null || !code ? null : `${decimalAmount(amountMinor, code)} ${code}`
}

/** The act is not done yet, so the outcome says so first. */
export function proposedOutcome(proposal: Proposal, { link, key }: Handover = {}): Outcome {
  const { id, what, about, expiresAt } = proposal
  return {
    json: {
      proposed: true,
      approval: presentProposal(proposal),
      ...(link && { linkStart: link }),
      ...(key && { keyStart: key }),
    },
    text: paragraphs(
      'Nothing was changed yet: this needs a second person.',
      pairs([
        ['Approval', id],
        ['What', what],
        ['About', about],
        ['Expires', moment(expiresAt)],
        ['First half of the link', link ?? null],
        ['First half of the key', key ?? null],
      ]),
      (link || key) &&
        'A first half is shown only now. Pass it on to the person it is for. Whoever grants the proposal passes on the second half. Joined they work, and nobody else ever has both.',
      `Another operator does it, or refuses it:\n  ${ADMIN} approval grant --approval ${id}\n  ${ADMIN} approval refuse --approval ${id}`,
    ),
  }
}
