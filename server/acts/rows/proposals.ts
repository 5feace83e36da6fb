/** The act on what somebody has proposed. */
import { getApproval } from '../../operator/approvals/approval.ts'
import { textFact } from '../../operator/approvals/facts.ts'
import { refuseProposal } from '../../operator/approvals/refuse.ts'
import { type AnyRow, act } from '../act.ts'
import { optionalText, text } from '../input.ts'

/** Its page asks for it. The proposer takes it back in this way. */
export const refuse = act('approval refuse', {
  approvalId: text({ flag: 'approval', placeholder: 'ID' }),
  why: optionalText({ placeholder: 'TEXT' }),
})({
  place: null,
  current: async () => ({}),
  shows: {
    async approvalId({ ctx, args: { approvalId } }) {
      const { proposal } = await getApproval(ctx, approvalId)
      return [
        ...textFact('proposal', `${proposal.what}, ${proposal.about}`),
        ...textFact('state', 'refused', proposal.state),
      ]
    },
    why: ({ args }) => textFact('why', args.why),
  },
  run: (ctx, { approvalId, why }, person) => refuseProposal(ctx, person, approvalId, why),
  result: async (_ctx, { id: approvalId, what, about }) => ({ facts: { approvalId, what, about } }),
  helpExamples: ['--approval apr_01...', '--approval apr_01... --why "The bank knows another name"'],
  examples: async (scene) => [{ approvalId: await scene.proposal() }],
})

export const PROPOSAL_ACTS: readonly AnyRow[] = [refuse]
