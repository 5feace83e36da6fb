/** The second factor for another price. */
import { isSamePrice, type ProductRecord } from '../../merchants/product.ts'
import { wasRemoved } from '../../storage/merchants/products.ts'
import type { OwnVisit } from '../page.ts'
import { worldOf } from '../world.ts'

/**
 * Another price decides how much buyers pay, so the second factor is asked for if the last one is too old. `before`: null for a new
 * product. It is one only if it was not removed before.
 */
export async function confirmPrice(
  visit: OwnVisit,
  before: ProductRecord | null,
  after: ProductRecord,
): Promise<void> {
  const { merchantId, id, amountMinor, currency, choice = null } = after
  const { db, world } = worldOf(visit)
  const isPriced = before ? !isSamePrice(before, after) : await wasRemoved(db, merchantId, id)
  if (!isPriced) return
  const args = { merchantId, id, amountMinor, currency, choice }
  await visit.user.prove({ what: 'product set', world, args })
}
