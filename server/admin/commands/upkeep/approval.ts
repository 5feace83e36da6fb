/** `approval`: the second person for what moves or redirects money. */
import { getApproval } from '../../../operator/approvals/approval.ts'
import { presentProposal } from '../../../operator/approvals/listing.ts'
import { revealSecret } from '../../../operator/approvals/secrets.ts'
import { factLines, lineText } from '../../../pages/approvals/facts.ts'
import { actText } from '../../../pages/approvals/messages.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { required } from '../../flag.ts'
import { moment, pairs, paragraphs } from '../../layout.ts'
import { sumText } from '../../proposal-text.ts'

const APPROVAL = required('ID', "the proposal's id (apr_...)")

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show all that a proposal does, and whether it can be granted',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }) {
    const approval = await getApproval(ctx, id)
    const { proposal, payment, merchantName, facts, hasMoved, isExpired, isUnreadable } = approval
    const { what, about, merchantId, proposer, proposedAt, expiresAt, state, decider, refusedWhy } = proposal
    const lines = factLines('en', facts)
    const found = { merchantName, hasMoved, isExpired, isUnreadable, paymentId: payment?.id ?? null }
    return {
      json: { approval: { ...presentProposal(proposal), ...found, facts: lines } },
      text: paragraphs(
        pairs([
          ['Approval', id],
          ['What', `${what}: ${actText('en', what)}`],
          ['About', about],
          ['Merchant', merchantName && `${merchantName} (${merchantId})`],
          ['Amount', sumText(proposal)],
          ['Proposed by', `${proposer}, ${moment(proposedAt)}`],
          ['Expires', moment(expiresAt)],
          ['State', decider ? `${state} by ${decider}` : state],
          ['Why', refusedWhy],
        ]),
        lines.length > 0 && 'It does exactly this:',
        lines.length > 0 && pairs(lines.map((line) => [line.label, lineText('en', line)])),
        hasMoved && 'What it is about has changed since, so it cannot be granted. Propose it again.',
        isExpired && 'It has expired. Propose it again.',
        isUnreadable && 'This version cannot read what it does, so it cannot be granted. Propose it again.',
        proposal.hasSecret && secretWaits(id),
      ),
    }
  },
})

const secretWaits = (id: string) =>
  `It has made a secret, which is shown once to whoever has proposed it:\n  ${ADMIN} approval secret --approval ${id}`

const SECRETS = { token: 'Token', webhookSecret: 'Callback secret' } as const

const secret = verb({
  name: 'secret',
  needs: 'operator',
  summary: 'Show the secret that your granted proposal has made, once',
  flags: { approval: APPROVAL },
  examples: ['--approval apr_01...'],
  async run(ctx, { approval: id }, { person }) {
    const { kind, text: made, merchantId, overlap } = await revealSecret(ctx, person, id)
    return {
      json: { approvalId: id, merchantId, [kind]: made },
      text: paragraphs(
        pairs([
          [SECRETS[kind], made],
          ['Merchant', merchantId],
        ]),
        'It is shown only now. Store it in the shop.',
        overlap !== undefined && `Earlier secrets still sign for ${overlap}, from now on.`,
      ),
    }
  },
})

export const approval: Noun = {
  name: 'approval',
  summary: 'List, grant and refuse what needs a second person',
  verbs: [show, secret],
}
