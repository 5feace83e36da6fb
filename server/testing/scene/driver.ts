/** A provider of a route that does something else than its driver. */
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import type { Driver } from '../../providers/driver.ts'

/** Undefined: the driver cannot do this any more. */
type Changes = { [Member in keyof Driver]?: Driver[Member] | undefined }

/** Changes what the driver of a route does. Returns the route as it was before. */
export function changeDriver({ routes }: Context, route: ProviderRoute, changes: Changes) {
  const before = routes[route]
  routes[route] = { ...before, driver: Object.assign({}, before.driver, changes) }
  return before
}
