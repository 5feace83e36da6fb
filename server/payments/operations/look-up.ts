/** A merchant looks an operation up. */
import type { Context } from '../../context.ts'
import type { PaymentOperation } from '../../contract/operation.ts'
import { AppError } from '../../errors.ts'
import { findOperation } from '../../storage/payments/operations.ts'
import { presentOperation } from '../operation.ts'

/** @throws AppError operation_not_found, also for an operation of another merchant */
export async function lookUpOperation(
  { db }: Pick<Context, 'db'>,
  merchantId: string,
  id: string,
): Promise<PaymentOperation> {
  const operation = await findOperation(db, merchantId, id)
  if (!operation) throw new AppError('operation_not_found')
  return presentOperation(operation)
}
