/** Asks a provider how a saved method, or the saving of one, stands. */
import { findAccount } from '../../accounts/choice.ts'
import { unreadableIn } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { referenceOf } from '../../id.ts'
import type { ProviderOrder, TokenLookUp } from '../../providers/driver.ts'
import type { GateLane } from '../../providers/http.ts'
import type { SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import { noteDoubtsOver, noteUnclear } from '../attempts/doubt.ts'
import { NOT_YET, takeTurn } from '../attempts/turn.ts'
import { callProvider, explainCallFailure, limitsOfQuestion } from '../provider-call.ts'
import { openedBetween } from '../restored.ts'

/** Returns what a driver finds the method with. */
export async function orderOf(
  ctx: Context,
  { id, providerReference: reference, providerState: state, createdAt }: SavedMethodRecord,
): Promise<ProviderOrder> {
  const opened = await openedBetween(ctx, createdAt)
  return { reference, state, opened, paymentReference: referenceOf(id) }
}

/** Returns the provider's answer. Does not throw: whatever went wrong, the provider is then `unavailable`. */
export async function askProviderAboutMethod(
  ctx: Context,
  method: SavedMethodRecord,
  lane: GateLane,
): Promise<TokenLookUp> {
  const account = await findAccount(ctx, method.accountId)
  const lookUpToken = account?.driver.lookUpToken
  if (!account || !lookUpToken)
    return { kind: 'unavailable', message: `the provider account ${method.accountId} cannot be asked now` }
  if (!(await takeTurn(ctx, account.id, { lane, isQuestion: true })))
    return { kind: 'unavailable', message: NOT_YET }
  const order = await orderOf(ctx, method)
  try {
    const asking = limitsOfQuestion(account, method.id, lane)
    const answer = await callProvider(ctx, account, asking, (call) => lookUpToken(call, order))
    await noteDoubtsOver(ctx, account.id)
    return answer
  } catch (error) {
    if (unreadableIn(error)) {
      ctx.log.warn({ tokenId: method.id, accountId: account.id }, 'an answer that cannot be read')
      await noteUnclear(ctx, account)
    }
    return {
      kind: 'unavailable',
      message: explainCallFailure(ctx, error, { account: account.id, about: method.id }),
    }
  }
}
