/**
 * Whose test payments are. They belong to a merchant of their own, that has no callback URL: so no shop ever gets an event about an
 * order that it does not know, also where the account belongs to a shop.
 */
import type { Context } from '../context.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { listMerchants } from '../storage/merchants/merchants.ts'

const NAME = 'Tests of accounts (reserved)'

/** Returns the reserved merchant's id. The first test creates it. One that was given a callback URL is not used any more. */
export async function findTestMerchant(ctx: Context): Promise<string> {
  const known = (await listMerchants(ctx.db)).find(
    ({ name, callbackUrl }) => name === NAME && callbackUrl === null,
  )
  return known?.id ?? (await createMerchant(ctx, { name: NAME })).merchantId
}
