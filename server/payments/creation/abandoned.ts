/**
 * Finishes creations that nobody finished: their process died, or their provider did not answer and no caller came back.
 * Rule: a key is not tried for ever. After a day the payment's outcome is unknown, and its questions go on as for any such
 * payment, until an operator decides.
 */
import type { Context } from '../../context.ts'
import { inTransaction } from '../../storage/db.ts'
import { finishIdempotencyKey, type IdempotencyKeyRecord } from '../../storage/payments/idempotency-keys.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { applyStatusIn } from '../transition.ts'
import { startPayment } from './start.ts'

const GIVE_UP_AFTER_MS = 24 * 3_600_000

/** Resumes the creation. Returns why it cannot be finished yet; null when it is finished. */
export async function resumeStart(ctx: Context, key: IdempotencyKeyRecord): Promise<string | null> {
  const payment = await findPayment(ctx.db, key.merchantId, key.paymentId)
  if (!payment) return null
  try {
    await startPayment(ctx, key, payment, 'resumed')
    ctx.log.info({ paymentId: payment.id }, 'unfinished creation was finished')
    return null
  } catch (error) {
    ctx.log.warn({ err: error, paymentId: payment.id }, 'creation cannot be finished yet')
    const { message, cause } = error as Error
    return cause instanceof Error ? cause.message : message
  }
}

/** Ends a creation that could not be finished for a day. */
export async function giveUpStart(ctx: Context, key: IdempotencyKeyRecord, why: string): Promise<void> {
  const { merchantId, paymentId, createdAt } = key
  if (ctx.clock.now().getTime() < createdAt.getTime() + GIVE_UP_AFTER_MS) return
  const detail = `for a day the provider did not say whether the checkout was opened: ${why}`
  await inTransaction(ctx.db, async (tx) => {
    const change = { to: 'status_unknown', cause: 'provider', detail } as const
    await applyStatusIn(ctx, tx, { merchantId, id: paymentId }, change)
    await finishIdempotencyKey(tx, key, paymentId)
  })
  ctx.log.warn(
    { paymentId, why },
    'an unfinished creation was given up: the outcome of the payment is unknown',
  )
}
