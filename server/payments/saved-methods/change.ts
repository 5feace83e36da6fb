/**
 * The only writer of a saved method's status. The operation that asked to save the method (the intent) ends in the same
 * transaction in which the method stops being pending.
 */
import type { Context } from '../../context.ts'
import type { PaymentMethodTokenStatus, SavedCard } from '../../contract/payment-method-token.ts'
import type { Tx } from '../../storage/db.ts'
import {
  lockSavedMethod,
  type SavedMethodRecord,
  updateSavedMethod,
} from '../../storage/saved-methods/saved-methods.ts'
import { applyOperationIn } from '../operation-change.ts'

export type SavedMethodChange = {
  to: Exclude<PaymentMethodTokenStatus, 'pending'>
  /** Why, for people. The merchant reads it as the intent's statusReason. */
  detail?: string
  card?: SavedCard | undefined
  state?: unknown
}

const FROM: Record<SavedMethodChange['to'], readonly PaymentMethodTokenStatus[]> = {
  // Again active: with another card.
  active: ['pending', 'active'],
  cancelled: ['pending'],
  failed: ['pending'],
  revoked: ['pending', 'active'],
}

/** Changes a saved method's status under its lock, if its current status allows that. Returns the method, changed or not. */
export async function applySavedMethodIn(
  ctx: Context,
  tx: Tx,
  at: Pick<SavedMethodRecord, 'merchantId' | 'id'>,
  { to, detail, card, state }: SavedMethodChange,
): Promise<{ changed: boolean; method: SavedMethodRecord }> {
  const before = await lockSavedMethod(tx, at)
  if (!before) throw new Error(`Bug! There is no saved method ${at.id} to change.`)
  if (!FROM[to].includes(before.status)) return { changed: false, method: before }
  const now = ctx.clock.now()
  const method = await updateSavedMethod(tx, before, { status: to, card, state, at: now })
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
  return { changed: true, method }
}
