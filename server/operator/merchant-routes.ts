/** The routes between which a merchant's buyers choose, as an operator sees them. */
import { listUsable } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import { getMerchantRoutes, type MerchantRoute } from '../merchants/routes.ts'

/** `ready`: the merchant can take payments there now. Buyers are offered only such routes. */
export type ShownRoute = MerchantRoute & { ready: boolean }

/** @throws AppError not_found */
export async function listMerchantRoutes(ctx: Context, merchantId: string): Promise<ShownRoute[]> {
  const routes = await getMerchantRoutes(ctx, merchantId)
  return Promise.all(
    routes.map(async (each) => ({
      ...each,
      ready: (await listUsable(ctx, merchantId, each.route)).length > 0,
    })),
  )
}
