/** What a command prints for an act that waits for a second person. */
import type { Proposal } from '../operator/approvals/approvals.ts'
import { ADMIN, type Outcome } from './command.ts'
import { moment, pairs, paragraphs } from './layout.ts'

export function presentProposal({ id: approvalId, ...rest }: Proposal) {
  return { approvalId, ...rest }
}

/** The act is not done yet, so the outcome says so first. */
export function proposedOutcome(proposal: Proposal): Outcome {
  const { id, what, about, expiresAt } = proposal
  return {
    json: { proposed: true, approval: presentProposal(proposal) },
    text: paragraphs(
      'Nothing was changed yet: this needs a second person.',
      pairs([
        ['Approval', id],
        ['What', what],
        ['About', about],
        ['Expires', moment(expiresAt)],
      ]),
      `Another operator does it, or refuses it:\n  ${ADMIN} approval grant --approval ${id}\n  ${ADMIN} approval refuse --approval ${id}`,
    ),
  }
}
