/** `saved-method`: payment methods that buyers have saved. */
import { revokeForMerchant } from '../../../operator/acts/agreements.ts'
import { doOrRehearse } from '../../../operator/acts/rehearse.ts'
import { type Noun, verb } from '../../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../../dry-run.ts'
import { required } from '../../flag.ts'
import { pairs, paragraphs } from '../../layout.ts'

const revoke = verb({
  name: 'revoke',
  needs: 'operator',
  summary: 'Revoke a saved method: nothing is charged to it any more',
  flags: { savedMethod: required('ID', "the saved method's id (pmt_...)"), dryRun: DRY_RUN },
  examples: ['--saved-method pmt_01...'],
  async run(ctx, values, { operator: by }) {
    const revoked = await doOrRehearse(ctx, values, (own) => revokeForMerchant(own, values.savedMethod, by))
    const { token, operation, created } = revoked
    const text = paragraphs(
      created
        ? 'From now on nothing is charged to it. The running service removes it at the provider.'
        : 'It was revoked before, so nothing was done.',
      pairs([
        ['Saved method', `${token.id}  ${token.status}`],
        ['Operation', `${operation.id}  ${operation.status}`],
      ]),
    )
    return rehearsedOutcome(values.dryRun, { json: { ...revoked }, text })
  },
})

export const savedMethod: Noun = {
  name: 'saved-method',
  summary: 'Revoke payment methods that buyers have saved',
  verbs: [revoke],
}
