/** The second factor for another price. */
import type { ProductRecord } from '../../merchants/product.ts'
import type { OwnVisit } from '../page.ts'
import { worldOf } from '../world.ts'

/** Another price decides how much buyers pay, so the second factor is asked for if the last one is too old. */
export async function provePrice(
  visit: OwnVisit,
  before: ProductRecord,
  after: ProductRecord,
): Promise<void> {
  const { merchantId, id, amountMinor, currency } = after
  if (amountMinor === before.amountMinor && currency === before.currency) return
  const args = { merchantId, id, amountMinor, currency }
  await visit.user.prove({ what: 'product set', world: worldOf(visit).world, args })
}
