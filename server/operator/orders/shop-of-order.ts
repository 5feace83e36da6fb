/** Whose order a person means who names no shop. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findByNumber } from '../finding/by-number.ts'
import { getPayment } from '../payment-timeline.ts'
import { listOrderBooks } from './book.ts'

/**
 * Returns the merchant that was named, the only one with an order book, or the one whose payment has this number.
 * @throws AppError validation_failed
 */
export async function shopOfOrder(
  ctx: Context,
  merchantId: string | undefined,
  number?: string,
): Promise<string> {
  if (merchantId !== undefined) return merchantId
  const [only, ...others] = await listOrderBooks(ctx)
  if (only !== undefined && others.length === 0) return only
  const paymentId = number === undefined ? null : await findByNumber(ctx, number).catch(() => null)
  if (paymentId !== null) return (await getPayment(ctx, paymentId)).merchantId
  throw new AppError('validation_failed', {
    message: only
      ? 'Several merchants have an order book. Name one with --merchant.'
      : 'No merchant has an order book. Name a merchant whose events go to it, and set that first.',
  })
}
