/** The only writer of a saved payment method's status. The intent ends with the buyer's decision, in the same write. */
import type { Context } from '../../context.ts'
import type { PaymentMethodTokenStatus, SavedCard } from '../../contract/payment-method-token.ts'
import type { Tx } from '../../storage/db.ts'
import {
  lockSavedMethod,
  type SavedMethodRecord,
  updateSavedMethod,
} from '../../storage/payments/saved-methods.ts'
import { applyOperationIn } from '../operation-change.ts'

export type TokenChange = {
  to: Exclude<PaymentMethodTokenStatus, 'pending'>
  /** For people: why. */
  detail?: string
  card?: SavedCard | undefined
  state?: unknown
}

const FROM: Record<TokenChange['to'], readonly PaymentMethodTokenStatus[]> = {
  active: ['pending'],
  cancelled: ['pending'],
  failed: ['pending'],
  revoked: ['pending', 'active'],
}

/** Decides under the token's lock. Answers the token as it then stands, moved or not. */
export async function applyTokenIn(
  ctx: Context,
  tx: Tx,
  at: Pick<SavedMethodRecord, 'merchantId' | 'id'>,
  { to, detail, card, state }: TokenChange,
): Promise<{ changed: boolean; token: SavedMethodRecord }> {
  const before = await lockSavedMethod(tx, at)
  if (!before) throw new Error(`Bug! There is no token ${at.id} to change.`)
  if (!FROM[to].includes(before.status)) return { changed: false, token: before }
  const now = ctx.clock.now()
  const token = await updateSavedMethod(tx, before, { status: to, card, state, at: now })
  if (before.status === 'pending') {
    const intent = { merchantId: at.merchantId, id: before.operationId }
    const end = to === 'active' ? 'succeeded' : 'failed'
    await applyOperationIn(ctx, tx, intent, {
      to: end,
      cause: to === 'revoked' ? 'request' : 'provider',
      dueAt: null,
      ...(detail !== undefined && { detail }),
    })
  }
  return { changed: true, token }
}
