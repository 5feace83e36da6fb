/** Our references for orders at providers: by the driver's rule where it has one, else taken from an id. */
import { referenceOf } from '../../id.ts'
import type { Account } from '../../providers/registry.ts'
import type { Queryable } from '../../storage/db.ts'
import { nextOrderNumber } from '../../storage/payments/attempt-orders.ts'

/** Returns a reference that no other order has got. `id` is new too. It is stored before the provider is told of the order. */
export async function allocateReference(db: Queryable, { driver }: Account, id: string): Promise<string> {
  return driver.allocateReference ? driver.allocateReference(await nextOrderNumber(db)) : referenceOf(id)
}
