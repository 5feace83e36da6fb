/** The name of an operation at its provider, for tests that look into the provider's books. */
import type { Context } from '../../context.ts'
import { writeNameOf } from '../../payments/named-refund.ts'
import { findOperationById } from '../../storage/payments/operations.ts'

export async function writeKeyOf({ db }: Context, operationId: string): Promise<string> {
  const operation = await findOperationById(db, operationId)
  if (!operation) throw new Error(`There is no operation ${operationId}.`)
  return writeNameOf(operation).key
}
