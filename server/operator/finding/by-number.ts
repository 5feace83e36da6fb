/** A payment by the short number that its buyer reads out, or writes into a transfer. */
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { findPayments } from './find.ts'

const CANDIDATES = 10

/** Returns the id of the payment. @throws AppError payment_not_found if there is none, or more than one */
export async function findByNumber(ctx: Context, number: string): Promise<string> {
  const { found } = await findPayments(ctx, number, { zones: ['UTC'], limit: CANDIDATES })
  const ids = found.filter(({ because }) => because.includes('short number')).map(({ payment }) => payment.id)
  const [id, ...others] = ids
  if (id && others.length === 0) return id
  throw new AppError('payment_not_found', {
    message: id
      ? `Several payments have the number ${number}: ${ids.join(', ')}. Name one of them by its id.`
      : `There is no payment with the number ${number}.`,
    next: [{ act: 'list_payments' }],
  })
}
