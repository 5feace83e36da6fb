/** Returns the settings of a driver as environment variables of a route. `route`: the start of their names, such as `ROUTE_A`. */
export function routeSettings(route: string, own: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(own).map(([name, value]) => [`${route}_${name}`, value]))
}
