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
      hint: 'The default provider route is not ready. Name another route, or ask whoever runs this service.',
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
  const problem = 'is not ready to take payments'
  const hint = 'GET /v1/capabilities lists the routes that are ready.'
  throw new AppError('provider_route_not_ready', {
    message: `${asked} ${problem}`,
    errors: { [field]: problem },
    hint,
  })
}

/** The contract's CapabilitiesResponse: every route, in the contract's order, and what shop platforms need. */
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
export function capabilityOf(route: Route, capability: CapabilityName): CapabilityState {
  const { supported, enabled, reason, setting } = judge(route, capability)
  // The manual route has no settings of its own.
  const name = setting && route.route !== 'manual' && `${route.route.toUpperCase()}_${setting}`
  const said = name ? `${reason} See the setting ${name}.` : reason
  return {
    supported,
    enabled,
    ...(said !== undefined && { reason: said }),
    ...(PRESENTATIONS.includes(capability) && { proofOfPayment: PROOF_OF_PAYMENT }),
  }
}

/** Why an operation cannot be used, for a merchant's developer, who has no settings. Null if it can be used. */
export function refusalOf(route: Route, name: CapabilityName): string | null {
  if (!isReady(route)) return NOT_READY
  return judge(route, name).reason ?? null
}

export const NOT_READY = 'The provider route of this payment is not ready.'

/** `setting`: the end of the setting's name that changes it. */
type Judgement = { supported: boolean; enabled: boolean; reason?: string; setting?: string }

function judge(route: Route, name: CapabilityName): Judgement {
  const isPresentation = PRESENTATIONS.includes(name)
  if (!isReady(route)) return { supported: isPresentation, enabled: false, reason: route.reason }
  if (isPresentation) return { supported: true, enabled: true }
  const off = { supported: true, enabled: false }
  if (name === 'fiscalization' && !route.fiscal)
    return { supported: false, enabled: false, reason: 'The route has no fiscal driver.', setting: 'FISCAL' }
  if (name !== 'fiscalization' && !hasMethod(route, name))
    return {
      supported: false,
      enabled: false,
      reason: `The driver "${route.driverName}" has no such operation.`,
    }
  const { OPERATIONS: operations, RENEWALS: renewals } = route.settings
  if (operations === 'not_configured')
    return {
      supported: true,
      enabled: true,
      reason: 'No worker is configured for this operation: calls answer 501.',
    }
  if (operations !== 'enabled')
    return { ...off, reason: 'Not enabled for this route.', setting: 'OPERATIONS' }
  if (name === 'subscriptions' && renewals !== 'enabled')
    return { ...off, reason: 'The route does not deal with failed renewals.', setting: 'RENEWALS' }
  return { supported: true, enabled: true }
}

function hasMethod(route: ReadyRoute, name: CapabilityName): boolean {
  const method = METHODS[name]
  const members: Record<string, unknown> = route.driver
  return method !== undefined && typeof members[method] === 'function'
}
