/** The provider routes as an operator sees them: the driver of each, and the settings that it still needs. */
import type { Context } from '../context.ts'
import { labelOf } from '../payments/capability.ts'

type Route = Context['routes'][keyof Context['routes']]

export function listRoutes({ routes, config }: Context) {
  return Object.values(routes).map((route) => presentRoute(route, config.defaultProvider))
}

/** Leaves out the settings, because they contain credentials. */
function presentRoute(shown: Route, defaultRoute: string) {
  const { route, driverName, driver, missing, reason } = shown
  return {
    route,
    driver: driverName,
    label: driver && labelOf(shown),
    ready: driver !== null,
    default: route === defaultRoute,
    currencies: driver?.currencies ?? [],
    missingEnv: missing,
    reason,
  }
}
