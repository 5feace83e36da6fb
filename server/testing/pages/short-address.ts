/** Short addresses, as an earlier version has stored them. This version gives out no new ones. */
import { keyOfTyped } from '../../merchants/address.ts'
import type { Db } from '../../storage/db.ts'
import type { Shop } from '../harness.ts'

/** `asked`: an operator has never approved it. */
export async function storeShortAddress(
  db: Db,
  { merchantId, installationId }: Pick<Shop, 'merchantId' | 'installationId'>,
  {
    name,
    productId = 'tea',
    state = 'approved',
  }: { name: string; productId?: string; state?: 'asked' | 'approved' },
): Promise<void> {
  await db.query(
    `insert into sandbox.short_addresses (folded, name, merchant_id, installation_id, product_id, state, asked_at, approved_at)
     values ($1, $2, $3, $4, $5, $6, now(), case $6 when 'approved' then now() end)`,
    [keyOfTyped(name), name, merchantId, installationId, productId, state],
  )
}
