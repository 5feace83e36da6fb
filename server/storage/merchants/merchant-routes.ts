/** The routes between which a merchant's buyers choose. */
import type { ProviderRoute } from '../../contract/fields.ts'
import type { RouteMark } from '../../contract/route-mark.ts'
import { statement } from '../db.ts'
import type { Texts } from './branding.ts'

/** `label`: what buyers read, in every language without a label of its own. `mark`: absent for that of the route's driver. */
export type MerchantRoute = { route: ProviderRoute; label: string; labels?: Texts; mark?: RouteMark }

/** Returns the merchant's routes, the first choice first; none if the merchant has no such setting. */
export const findMerchantRoutes = statement<{ routes: MerchantRoute[] }>(
  'find_merchant_routes',
  'select routes from world.merchant_routes where merchant_id = $1',
).value('routes', [], (merchantId: string) => [merchantId])

/** Returns false and changes nothing if the merchant has routes. */
export const insertMerchantRoutes = statement<{ merchantId: string }>(
  'insert_merchant_routes',
  `insert into world.merchant_routes as known (merchant_id, routes, changed_at) values ($1, $2, $3)
   on conflict (merchant_id) do update set routes = excluded.routes, changed_at = excluded.changed_at where known.routes = '[]'
   returning merchant_id as "merchantId"`,
).some((merchantId: string, routes: readonly MerchantRoute[], at: Date) => [
  merchantId,
  JSON.stringify(routes),
  at,
])

export const writeMerchantRoutes = statement(
  'write_merchant_routes',
  `insert into world.merchant_routes (merchant_id, routes, changed_at) values ($1, $2, $3)
   on conflict (merchant_id) do update set routes = excluded.routes, changed_at = excluded.changed_at`,
).run((merchantId: string, routes: readonly MerchantRoute[], at: Date) => [
  merchantId,
  JSON.stringify(routes),
  at,
])
