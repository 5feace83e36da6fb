/** What a provider route can do now, and how a request's wish for one is answered. */

import type { Context } from '../context.ts'
import type { CurrencyCode, ProviderRoute } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { isReady, type ReadyRoute } from '../providers/routes.ts'

/**
 * The route that a payment takes.
 * @throws AppError provider_route_not_ready, provider_route_unsupported for a route that was asked for;
 *   provider_unavailable when none was and the default one cannot serve.
 */
export function chooseRoute(
  ctx: Context,
  asked: ProviderRoute | undefined,
  currency: CurrencyCode,
): ReadyRoute {
  const route = ctx.routes[asked ?? ctx.config.defaultProvider]
  if (!isReady(route)) {
    if (asked)
      throw new AppError('provider_route_not_ready', {
        message: `${asked}: ${route.reason}`,
        errors: { provider: route.reason },
      })
    throw new AppError('provider_unavailable', {
      retryAfterSeconds: 30,
      hint: `The default route is not ready. ${route.reason}`,
    })
  }
  if (!route.driver.currencies.includes(currency)) {
    const reason = `${route.route} takes ${route.driver.currencies.join(', ')}`
    throw new AppError('provider_route_unsupported', { message: reason, errors: { currency: reason } })
  }
  return route
}
