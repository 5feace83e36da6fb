/** Stops a merchant's new payments, and lets them begin again. Each process notices within a second. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  type MerchantRecord,
  type MerchantState,
  updateMerchantState,
} from '../storage/merchants/merchants.ts'
import { getMerchant } from './merchant.ts'
import { checkLength } from './text.ts'

export type { MerchantState } from '../storage/merchants/merchants.ts'

export const WHY_MAX_CHARS = 240

/**
 * Repeating it changes nothing but a new `why`.
 * @throws AppError not_found; validation_failed for a merchant that is closed and should be paused
 */
export async function setMerchantState(
  ctx: Context,
  id: string,
  { state, why = null }: { state: MerchantState; why?: string | null },
): Promise<{ before: MerchantRecord; after: MerchantRecord }> {
  if (why !== null) checkLength('why', why, WHY_MAX_CHARS)
  const before = await getMerchant(ctx, id)
  if (before.state === 'closed' && state === 'paused')
    throw new AppError('validation_failed', {
      reason: 'merchant_closed',
      message: `${before.name} is closed, so it takes no new payments already. Resume it first if it should only be paused.`,
    })
  await updateMerchantState(ctx.db, id, { state, at: state === 'open' ? null : ctx.clock.now(), why })
  return { before, after: await getMerchant(ctx, id) }
}
