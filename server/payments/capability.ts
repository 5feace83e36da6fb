/**
 * Which provider route a new payment uses, and what each route can do now.
 * Rule: errors and statusReasons name no setting. Only the response of GET /v1/capabilities names settings, because the contract
 * asks for the missing ones.
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
      hint: 'The default provider route is not ready. Name another route, or ask whoever runs this service.',
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
  const problem = 'is not ready to take payments'
  const hint = 'GET /v1/capabilities lists the routes that are ready.'
  throw new AppError('provider_route_not_ready', {
    message: `${name} ${problem}`,
    errors: { [field]: problem },
    hint,
  })
}

/** Returns the contract's CapabilitiesResponse: every route in the contract's order, and the status map for shop platforms. */
export function presentCapabilities(
  ctx: Pick<Context, 'routes' | 'config' | 'clock' | 'world'>,
): CapabilitiesResponse {
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

/** The name of a route's provider, for people. */
export function labelOf({ driver, driverName, settings }: Route): string {
  return driver?.labelOf?.(settings) ?? driver?.label ?? driverName ?? 'Not configured'
}

function presentRoute(route: Route): ProviderCapability {
  const { driver } = route
  const states = CAPABILITY_NAMES.map((name) => [name, capabilityOf(route, name)] as const)
  return {
    id: route.route,
    label: labelOf(route),
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
export function capabilityOf(route: Route, capability: CapabilityName): CapabilityState {
  const { supported, enabled, reason, setting } = stateOf(route, capability)
  // The manual route has no settings of its own.
  const name = setting && route.route !== 'manual' && `${route.route.toUpperCase()}_${setting}`
  const fullReason = name ? `${reason} See the setting ${name}.` : reason
  return {
    supported,
    enabled,
    ...(fullReason !== undefined && { reason: fullReason }),
    ...(PRESENTATIONS.includes(capability) && { proofOfPayment: PROOF_OF_PAYMENT }),
  }
}

/** Returns why a merchant cannot use an operation, without naming a setting. Null if the merchant can use it. */
export function refusalOf(route: Route, name: CapabilityName): string | null {
  if (!isReady(route)) return NOT_READY
  return stateOf(route, name).reason ?? null
}

export const NOT_READY = 'The provider route of this payment is not ready.'

/** `setting`: the end of the name of the setting that changes this state. */
type State = { supported: boolean; enabled: boolean; reason?: string; setting?: string }

function stateOf(route: Route, name: CapabilityName): State {
  const isPresentation = PRESENTATIONS.includes(name)
  if (!isReady(route)) return { supported: isPresentation, enabled: false, reason: route.reason }
  if (isPresentation) return { supported: true, enabled: true }
  const unsupported = { supported: false, enabled: false }
  if (name === 'fiscalization' && !route.fiscal)
    return { ...unsupported, reason: 'This route prints no fiscal receipts.', setting: 'FISCAL' }
  if (name !== 'fiscalization' && !hasMethod(route, name))
    return { ...unsupported, reason: 'The provider of this route does not support this operation.' }
  const { OPERATIONS: operations, RENEWALS: renewals } = route.settings
  if (operations === 'not_configured')
    return {
      supported: true,
      enabled: true,
      reason: 'Not set up for this route yet: requests for it return 501.',
    }
  const disabled = { supported: true, enabled: false }
  if (operations !== 'enabled')
    return { ...disabled, reason: 'Not enabled for this route.', setting: 'OPERATIONS' }
  if (name === 'subscriptions' && renewals !== 'enabled')
    return {
      ...disabled,
      reason: 'Not enabled for this route, because nothing is set up for failed renewals.',
      setting: 'RENEWALS',
    }
  return { supported: true, enabled: true }
}

function hasMethod(route: ReadyRoute, name: CapabilityName): boolean {
  const method = METHODS[name]
  const members: Record<string, unknown> = route.driver
  return method !== undefined && typeof members[method] === 'function'
}
