/** What a provider route can do now, what is said of it, and how a request's wish for one is answered. */

import type { Context } from '../context.ts'
import {
  CAPABILITY_NAMES,
  type CapabilitiesResponse,
  type CapabilityName,
  type CapabilityState,
  type ProviderCapability,
  type ServiceStatus,
} from '../contract/capability.ts'
import {
  type CurrencyCode,
  PROOF_OF_PAYMENT,
  PROVIDER_ROUTES,
  type ProviderRoute,
} from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { isReady, type ReadyRoute, type Route, type RouteTable } from '../providers/registry.ts'
import { presentStatusMap } from './status-map.ts'

/** What is there as soon as the route can create payments. */
const PRESENTATIONS: readonly CapabilityName[] = ['payment_links', 'qr_presentation']

/** The driver's methods without which an operation is not supported. Receipts are another driver's: the route's fiscal one. */
const METHODS: Partial<Record<CapabilityName, string>> = {
  refund: 'refund',
  capture: 'capture',
  void: 'void',
  tokenization: 'saveToken',
  subscriptions: 'chargeToken',
}

/**
 * The route that a payment takes. `field` is what the request calls the route.
 * @throws AppError provider_route_not_ready, provider_route_unsupported for a route that was asked for;
 *   provider_unavailable when none was and the default one cannot serve.
 */
export function chooseRoute(
  ctx: Context,
  asked: ProviderRoute | undefined,
  currency: CurrencyCode,
  field: 'provider' | 'providerRoute' = 'provider',
): ReadyRoute {
  const route = asked ? namedRoute(ctx, asked, field) : ctx.routes[ctx.config.defaultProvider]
  if (!isReady(route))
    throw new AppError('provider_unavailable', {
      retryAfterSeconds: 30,
      hint: `The default route is not ready. ${route.reason}`,
    })
  if (!route.driver.currencies.includes(currency)) {
    const reason = `${route.route} takes ${route.driver.currencies.join(', ')}`
    throw new AppError('provider_route_unsupported', {
      message: reason,
      errors: { [asked ? field : 'currency']: reason },
    })
  }
  return route
}

/** The route that a request names; `field` is what it calls it. @throws AppError provider_route_not_ready */
export function namedRoute(
  ctx: Pick<Context, 'routes'>,
  asked: ProviderRoute,
  field: 'provider' | 'providerRoute',
): ReadyRoute {
  const route = ctx.routes[asked]
  if (isReady(route)) return route
  const errors = { [field]: route.reason }
  throw new AppError('provider_route_not_ready', { message: `${asked}: ${route.reason}`, errors })
}

/** The contract's CapabilitiesResponse: every route, in the contract's order, and what shop platforms need. */
export function presentCapabilities(ctx: Pick<Context, 'routes' | 'config' | 'clock'>): CapabilitiesResponse {
  const { world: mode } = ctx
  const { defaultProvider } = ctx.config
  return {
    ok: true,
    mode,
    defaultProvider,
    status: serviceStatus(ctx.routes, defaultProvider),
    generatedAt: ctx.clock.now().toISOString(),
    providers: PROVIDER_ROUTES.map((name) => presentRoute(ctx.routes[name])),
    connectors: { statusSync: presentStatusMap() },
  }
}

function serviceStatus(routes: RouteTable, defaultProvider: ProviderRoute): ServiceStatus {
  if (isReady(routes[defaultProvider])) return 'ready'
  return Object.values(routes).some(isReady) ? 'degraded' : 'not_ready'
}

function presentRoute(route: Route): ProviderCapability {
  const { driver } = route
  const states = CAPABILITY_NAMES.map((name) => [name, capabilityOf(route, name)] as const)
  return {
    id: route.route,
    label: driver?.label ?? route.driverName ?? 'Not configured',
    currencies: [...(driver?.currencies ?? [])],
    liveCapable: driver?.liveCapable ?? false,
    supportsAutoinit: driver?.supportsAutoinit ?? false,
    readiness: {
      enabledForPaymentCreation: isReady(route),
      reason: route.reason,
      missingEnv: [...route.missing],
    },
    capabilities: Object.fromEntries(states) as Record<CapabilityName, CapabilityState>,
  }
}

/**
 * What the route says of one capability. An operation is supported if the driver has its method, and enabled if the
 * route's `OPERATIONS` setting allows it too. With `not_configured` it is enabled, and every call of it is a 501.
 */
export function capabilityOf(route: Route, name: CapabilityName): CapabilityState {
  if (PRESENTATIONS.includes(name)) {
    const enabled = isReady(route)
    return {
      supported: true,
      enabled,
      ...(!enabled && { reason: route.reason }),
      proofOfPayment: PROOF_OF_PAYMENT,
    }
  }
  if (!isReady(route)) return { supported: false, enabled: false, reason: route.reason }
  const missing = missingFor(route, name)
  if (missing !== null) return { supported: false, enabled: false, reason: missing }
  const setting = `${route.route.toUpperCase()}_OPERATIONS`
  switch (route.settings.OPERATIONS) {
    case 'enabled':
      if (name === 'subscriptions' && route.settings.RENEWALS !== 'enabled')
        return { supported: true, enabled: false, reason: noRenewals(route) }
      return { supported: true, enabled: true }
    case 'not_configured':
      return {
        supported: true,
        enabled: true,
        reason: 'No worker is configured for this operation: calls answer 501.',
      }
    default:
      return {
        supported: true,
        enabled: false,
        reason: `Not enabled for this route: see the setting ${setting}.`,
      }
  }
}

/** Why the operation is not supported; null if it is. */
function missingFor(route: ReadyRoute, name: CapabilityName): string | null {
  if (name === 'fiscalization')
    return route.fiscal ? null : `No fiscal driver: see the setting ${route.route.toUpperCase()}_FISCAL.`
  const method = METHODS[name]
  const members: Record<string, unknown> = route.driver
  if (method !== undefined && typeof members[method] === 'function') return null
  return `The driver "${route.driverName}" has no such operation.`
}

function noRenewals({ route }: Route): string {
  return `No behaviour for failed renewals is configured: see the setting ${route.toUpperCase()}_RENEWALS.`
}
