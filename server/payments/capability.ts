/**
 * Which provider route a new payment uses, and what each route can do now.
 * Rule: merchants read the texts of this file, so the texts name no setting, driver or command. Only `readiness` names the
 * missing settings, because the contract asks for them.
 */
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

/** These capabilities are enabled as soon as the route can create payments. */
const PRESENTATIONS: readonly CapabilityName[] = ['payment_links', 'qr_presentation']

/** The driver method that each operation needs. `fiscalization` is missing here, because it needs the route's fiscal driver. */
const METHODS: Partial<Record<CapabilityName, string>> = {
  refund: 'refund',
  capture: 'capture',
  void: 'void',
  tokenization: 'saveToken',
  subscriptions: 'chargeToken',
}

/**
 * Returns the route for a new payment: the route that the request names, or the default route.
 * `field`: the request's name for the route, used in field errors.
 * @throws AppError provider_route_not_ready when the named route is not ready; provider_unavailable when the default route
 *   is not ready; provider_route_unsupported when the route does not accept the currency.
 */
export function chooseRoute(
  ctx: Context,
  name: ProviderRoute | undefined,
  currency: CurrencyCode,
  field: 'provider' | 'providerRoute' = 'provider',
): ReadyRoute {
  const route = name ? namedRoute(ctx, name, field) : ctx.routes[ctx.config.defaultProvider]
  if (!isReady(route))
    throw new AppError('provider_unavailable', {
      retryAfterSeconds: 30,
      hint: 'The default provider route is not ready. Name a route that is ready, or ask whoever runs your payment service.',
    })
  if (!route.driver.currencies.includes(currency)) {
    const reason = `${route.route} accepts only ${route.driver.currencies.join(', ')}`
    throw new AppError('provider_route_unsupported', {
      message: reason,
      errors: { [name ? field : 'currency']: reason },
    })
  }
  return route
}

/**
 * Returns the route that a request names. `field`: the request's name for the route, used in field errors.
 * @throws AppError provider_route_not_ready
 */
export function namedRoute(
  ctx: Pick<Context, 'routes'>,
  name: ProviderRoute,
  field: 'provider' | 'providerRoute',
): ReadyRoute {
  const route = ctx.routes[name]
  if (isReady(route)) return route
  const message = `The provider route ${name} is not ready.`
  throw new AppError('provider_route_not_ready', {
    message,
    hint: 'Name a route that is ready, or ask whoever runs your payment service.',
    errors: { [field]: message },
  })
}

/** Returns the contract's CapabilitiesResponse: every route in the contract's order, and the status map for shop platforms. */
export function presentCapabilities(ctx: Pick<Context, 'routes' | 'config' | 'clock'>): CapabilitiesResponse {
  const { mode, defaultProvider } = ctx.config
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
 * Returns the state of one capability of a route. An operation is supported if the driver has its method. It is enabled if
 * the route's `OPERATIONS` setting also allows it. With `OPERATIONS=not_configured` the operation counts as enabled, and
 * every request for it returns 501.
 */
export function capabilityOf(route: Route, name: CapabilityName): CapabilityState {
  if (PRESENTATIONS.includes(name)) {
    const enabled = isReady(route)
    return {
      supported: true,
      enabled,
      ...(!enabled && { reason: NOT_READY }),
      proofOfPayment: PROOF_OF_PAYMENT,
    }
  }
  if (!isReady(route)) return { supported: false, enabled: false, reason: NOT_READY }
  const unsupported = whyUnsupported(route, name)
  if (unsupported !== null) return { supported: false, enabled: false, reason: unsupported }
  switch (route.settings.OPERATIONS) {
    case 'enabled':
      if (name === 'subscriptions' && route.settings.RENEWALS !== 'enabled')
        return { supported: true, enabled: false, reason: NO_RENEWALS }
      return { supported: true, enabled: true }
    case 'not_configured':
      return { supported: true, enabled: true, reason: NOT_CONFIGURED }
    default:
      return { supported: true, enabled: false, reason: NOT_ENABLED }
  }
}

const NOT_READY = 'This route is not ready: see its readiness.'
const NOT_ENABLED = 'Not enabled for this route. Ask whoever runs your payment service to enable it.'
const NOT_CONFIGURED = 'Not set up for this route yet: requests for it return 501.'
const NO_RENEWALS =
  'Not enabled for this route: nobody has decided yet what follows a failed renewal. Ask whoever runs your payment service.'

/** Returns why the route does not support the operation; null if it does. */
function whyUnsupported(route: ReadyRoute, name: CapabilityName): string | null {
  if (name === 'fiscalization') return route.fiscal ? null : 'This route prints no fiscal receipts.'
  const method = METHODS[name]
  const members: Record<string, unknown> = route.driver
  if (method !== undefined && typeof members[method] === 'function') return null
  return 'The provider of this route does not support this operation.'
}
