/** The values of proposals are sealed, so no statement finds a buyer in them. Each one is opened and looked through. */
import { type Context, systemClock } from '../../context.ts'
import {
  decideProposal,
  isFoundIn,
  listSealedProposals,
  lockProposal,
} from '../../storage/audit/proposals.ts'
import { inTransaction } from '../../storage/db.ts'

const BATCH = 200

/** Other proposals are about the people and the settings of the deployment, and no buyer is in them. */
const OF_BUYERS = /^(?:payment|operation) /

/**
 * Refuses the proposals that name the buyer, which removes their values. What is wanted must be proposed again without the buyer's
 * data. One that is being carried out is refused too, so it moves nothing. Returns how many.
 */
export async function forgetInProposals(ctx: Context, pattern: string): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const found = await listSealedProposals(ctx.db, { after, limit: BATCH })
    for (const { id, what, keyId, sealed } of found) {
      if (!keyId || !sealed || !OF_BUYERS.test(what)) continue
      const text = ctx.vault.open({ keyId, sealed }, [ctx.world, id, 'proposal'])
      if ((await isFoundIn(ctx.db, text, pattern)) && (await refuse(ctx, id))) count++
    }
    if (found.length < BATCH) return count
    after = found.at(-1)?.id ?? ''
  }
}

/** Returns false if it was decided meanwhile, which removed its values too. */
function refuse(ctx: Context, id: string): Promise<boolean> {
  return inTransaction(ctx.db, async (tx) => {
    const proposal = await lockProposal(tx, id)
    if (!proposal?.sealed) return false
    await decideProposal(tx, id, { state: 'refused', by: null, at: systemClock.now() })
    return true
  })
}
