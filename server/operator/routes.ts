/** The provider routes as an operator sees them: the driver of each, and the settings that it still needs. */
import type { Context } from '../context.ts'

type Route = Context['routes'][keyof Context['routes']]

export function listRoutes({ routes, config }: Context) {
  return Object.values(routes).map((route) => presentRoute(route, config.defaultProvider))
}

/** Leaves out the settings, because they contain credentials. */
function presentRoute({ route, driverName, driver, missing, reason }: Route, defaultRoute: string) {
  return {
    route,
    driver: driverName,
    label: driver?.label ?? null,
    ready: driver !== null,
    default: route === defaultRoute,
    currencies: driver?.currencies ?? [],
    missingEnv: missing,
    reason,
  }
}
