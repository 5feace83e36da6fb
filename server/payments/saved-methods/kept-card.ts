/**
 * A card that the provider keeps of a saving that has ended: its payment came late, or its merchant has revoked it meanwhile. Nobody can
 * charge the card, and it must not stay there.
 */
import type { Context } from '../../context.ts'
import { referenceOf } from '../../id.ts'
import type { TokenLookUp } from '../../providers/driver.ts'
import type { Tx } from '../../storage/db.ts'
import type { SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import { fingerprint } from '../idempotency.ts'
import { requestByService } from '../operation-request.ts'

/** Asks for the removal of the card, once for each saving. It does no harm beside a removal that the merchant has asked for. */
export async function removeKeptCardIn(
  ctx: Context,
  tx: Tx,
  { status, merchantId, id: tokenId, provider, accountId }: SavedMethodRecord,
  answer: TokenLookUp,
): Promise<void> {
  if (status === 'pending' || status === 'active' || !mayKeepCard(answer)) return
  const scope = `removal of saving ${referenceOf(tokenId)}`
  const claim = { merchantId, scope, key: '1', fingerprint: fingerprint({}) }
  const reason = 'the provider has kept a card of a saving that has ended'
  await requestByService(ctx, tx, claim, { type: 'token_revoke', tokenId, provider, accountId, reason })
}

/** A provider may show the card a little later than the money of its saving. */
function mayKeepCard(answer: TokenLookUp): boolean {
  if (answer.kind !== 'found') return false
  return answer.status === 'active' || (answer.status === 'pending' && answer.money !== undefined)
}
