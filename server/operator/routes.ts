/** The provider routes as an operator sees them: what each route is missing, and who is paid on it. */
import { factsOf } from '../accounts/account-facts.ts'
import { callbackUrlOf } from '../accounts/callback-address.ts'
import { listUsable } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../contract/fields.ts'
import { labelOf } from '../payments/capability.ts'
import { listNewestMerchants } from '../storage/merchants/merchants.ts'

type Route = Context['routes'][keyof Context['routes']]

export function listRoutes(ctx: Context) {
  return Object.values(ctx.routes).map((route) => presentRoute(ctx, route))
}

/** Leaves out the settings, because they contain credentials. */
function presentRoute(ctx: Context, shown: Route) {
  const { id, route, driverName, driver, missing, reason, shared } = shown
  const entry = driver ? ctx.accounts.recall()?.byId.get(id) : undefined
  return {
    route,
    driver: driverName,
    label: driver && labelOf(shown),
    ready: driver !== null,
    default: route === ctx.config.defaultProvider,
    currencies: driver?.currencies ?? [],
    missingEnv: missing,
    reason,
    /** The deployment's own account, and whether every merchant may use it. */
    accountId: driver ? id : null,
    shared,
    /** Where the provider reports to the account. Null if it reports nothing. */
    callbackUrl: driver?.inbound ? callbackUrlOf(ctx, { id }) : null,
    /** What is known of the account's contract. Null for a route that is not ready. */
    facts: entry ? factsOf(ctx, entry) : null,
  }
}

/** The account that takes a merchant's money of one currency on a route. `owner`: null for the deployment. */
export type Destination = {
  merchantId: string
  merchant: string
  route: string
  currency: string
  accountId: string
  owner: string | null
}

/** Returns who is paid on which route, for the newest merchants. Merchants who cannot be paid have no row. */
export async function listDestinations(ctx: Context, { limit }: { limit: number }): Promise<Destination[]> {
  const merchants = await listNewestMerchants(ctx.db, limit)
  const rows = merchants.flatMap(({ id: merchantId, name: merchant }) =>
    PROVIDER_ROUTES.map(async (route) => {
      const usable = await listUsable(ctx, merchantId, route)
      const currencies = [...new Set(usable.flatMap((each) => each.currencies))]
      return currencies.flatMap((currency) => {
        const taker = usable.find((each) => each.currencies.includes(currency))
        if (!taker) return []
        const owner = taker.isOwn ? merchantId : null
        return { merchantId, merchant, route, currency, accountId: taker.account.id, owner }
      })
    }),
  )
  return (await Promise.all(rows)).flat()
}

/** The warning for an operator who names a route that is not ready; null if there is nothing to warn about. */
export function routeWarning({ routes }: Context, named: ProviderRoute | undefined): string | null {
  const route = named && routes[named]
  if (!route || route.driver) return null
  return `Warning: ${named} is not ready, so payments on it are rejected. ${route.reason} Then restart the service.`
}
