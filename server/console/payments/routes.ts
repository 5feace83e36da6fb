/** A route as people name it: by its provider. The same provider may stand behind two routes, so the route is named too. */
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { labelOf } from '../../payments/capability.ts'

export function routeText({ routes }: Pick<Context, 'routes'>, route: ProviderRoute): string {
  const { driver, driverName } = routes[route]
  return driver || driverName ? `${labelOf(routes[route])} (${route})` : route
}
