/**
 * What each provider route can do now.
 * Rule: errors and statusReasons name no setting. Only the response of GET /v1/capabilities names settings, because the contract
 * asks for the missing ones.
 */
import { boundsOf } from '../accounts/amount-bounds.ts'
import { type Capable, type KnownRights, PRESENTATIONS, stateOf } from '../accounts/capability-state.ts'
import { findBlockers, findRefused, findStopped, listUsable, type Usable } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import {
  CAPABILITY_NAMES,
  type CapabilitiesResponse,
  type CapabilityName,
  type CapabilityState,
  type ProviderCapability,
  type ServiceStatus,
} from '../contract/capability.ts'
import { CURRENCIES, CURRENCY_CODES } from '../contract/currencies.ts'
import {
  type CurrencyCode,
  PROOF_OF_PAYMENT,
  PROVIDER_ROUTES,
  type ProviderRoute,
} from '../contract/fields.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { isReady, type Route } from '../providers/registry.ts'
import { presentReceiver } from '../receivers/standing.ts'
import { STOPPED, unionOf } from './account.ts'
import { presentStatusMap } from './status-map.ts'

/**
 * Returns the contract's CapabilitiesResponse as the merchant sees it: every route in the contract's order, and the status map
 * for shop platforms.
 */
export async function presentCapabilitiesFor(
  ctx: Context,
  merchantId: string,
): Promise<CapabilitiesResponse> {
  const stopped = await findStopped(ctx, merchantId)
  const providers = PROVIDER_ROUTES.map(async (name) => {
    if (stopped) return presentRoute(ctx, unready(ctx.routes[name], STOPPED[stopped]))
    const usable = await listUsable(ctx, merchantId, name)
    const blocked = [...(await findBlockers(ctx, merchantId, name)).keys()]
    if (usable.length > 0) return presentUsable(ctx, { id: name, usable, blocked })
    const route = ctx.routes[name]
    if (blocked.length > 0) return presentRoute(ctx, unready(route, OWN_UNREADY))
    if (await findRefused(ctx, merchantId, name)) return presentRoute(ctx, unready(route, REFUSED))
    return presentRoute(ctx, closed(route))
  })
  const { id, name } = await getMerchant(ctx, merchantId)
  return {
    ...presentCapabilities(ctx, await Promise.all(providers)),
    merchant: { id, name },
    callback: await presentReceiver(ctx, merchantId),
  }
}

/** A route that is ready, but not for this merchant. */
function closed(route: Route): Route {
  if (!isReady(route)) return route
  return { ...route, driver: null, reason: 'No provider account of this route is open to this merchant.' }
}

/** An own account of the merchant cannot be used, and nothing else may take its money. */
const OWN_UNREADY = 'Your own provider account on this route cannot take payments now.'
const REFUSED = 'The payment provider does not accept the account of this route now.'

function unready(route: Route, reason: string): Route {
  return { ...route, driver: null, missing: [], reason }
}

/** The parts that are the same for every merchant. */
type Common = Omit<CapabilitiesResponse, 'merchant' | 'callback'>

/** `providers`: by default the deployment's own accounts, as a merchant sees them who may use them all. */
export function presentCapabilities(
  ctx: Pick<Context, 'accounts' | 'routes' | 'config' | 'clock' | 'world'>,
  providers: ProviderCapability[] = PROVIDER_ROUTES.map((name) => presentRoute(ctx, ctx.routes[name])),
): Common {
  const { defaultProvider } = ctx.config
  return {
    ok: true,
    mode: ctx.world,
    defaultProvider,
    status: serviceStatus(providers, defaultProvider),
    generatedAt: ctx.clock.now().toISOString(),
    currencyDigits: CURRENCY_DIGITS,
    providers,
    connectors: { statusSync: presentStatusMap() },
  }
}

export const CURRENCY_DIGITS = Object.fromEntries(
  CURRENCY_CODES.map((code) => [code, CURRENCIES[code].digits]),
) as Record<CurrencyCode, number>

function serviceStatus(providers: ProviderCapability[], defaultProvider: ProviderRoute): ServiceStatus {
  const ready = providers.filter(({ readiness }) => readiness.enabledForPaymentCreation)
  if (ready.some(({ id }) => id === defaultProvider)) return 'ready'
  return ready.length > 0 ? 'degraded' : 'not_ready'
}

/** The name of a route's provider, for people. */
export function labelOf({
  driver,
  driverName,
  settings,
}: Pick<Route, 'driver' | 'driverName' | 'settings'>): string {
  return driver?.labelOf?.(settings) ?? driver?.label ?? driverName ?? 'Not configured'
}

function presentRoute(ctx: KnownRights, route: Route): ProviderCapability {
  const { driver } = route
  const states = CAPABILITY_NAMES.map((name) => [name, capabilityOf(ctx, route, name)] as const)
  return {
    id: route.route,
    label: labelOf(route),
    currencies: [...(driver?.currencies ?? [])],
    amountBounds: boundsIn(isReady(route) ? [{ account: route, currencies: route.driver.currencies }] : []),
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

/** A merchant may use several accounts of a route, one for each currency. The route can do everything that one of them can do. */
function presentUsable(
  ctx: KnownRights,
  { id, usable, blocked }: { id: ProviderRoute; usable: Usable[]; blocked: readonly CurrencyCode[] },
): ProviderCapability {
  const drivers = usable.map(({ account }) => account.driver)
  const states = CAPABILITY_NAMES.map((name) => {
    const each = usable.map(({ account, isOwn }) =>
      presentState(ctx, account, { name, settingsOf: isOwn ? null : id }),
    )
    return [
      name,
      each.find(({ enabled }) => enabled) ?? each.find(({ supported }) => supported) ?? each[0],
    ] as const
  })
  return {
    id,
    label: [...new Set(usable.map(({ account }) => labelOf(account)))].join(', '),
    currencies: unionOf(usable),
    amountBounds: boundsIn(usable),
    liveCapable: drivers.every(({ liveCapable }) => liveCapable),
    supportsAutoinit: drivers.every(({ supportsAutoinit }) => supportsAutoinit),
    readiness: { enabledForPaymentCreation: true, reason: readyReason(blocked), missingEnv: [] },
    capabilities: Object.fromEntries(states) as Record<CapabilityName, CapabilityState>,
  }
}

/** The first account that takes a currency gets its payments. */
function boundsIn(
  takers: readonly Pick<Usable, 'account' | 'currencies'>[],
): ProviderCapability['amountBounds'] {
  const bounds = takers.flatMap(({ account, currencies }) =>
    currencies.map((currency) => [currency, boundsOf(account, currency)] as const),
  )
  return Object.fromEntries(bounds.reverse())
}

function readyReason(blocked: readonly CurrencyCode[]): string {
  if (blocked.length === 0) return 'Ready.'
  return `Ready, but not in ${blocked.join(', ')}: your own provider account cannot take payments now.`
}

/**
 * Returns the state of one capability of a route. An operation is supported if the driver has its method. It is enabled if
 * the route's `OPERATIONS` setting also allows it. With `OPERATIONS=not_configured` the operation counts as enabled, and
 * every request for it returns 501.
 */
export function capabilityOf(
  ctx: KnownRights,
  route: Capable & Pick<Route, 'route'>,
  capability: CapabilityName,
): CapabilityState {
  return presentState(ctx, route, { name: capability, settingsOf: route.route })
}

/** `settingsOf`: the route whose settings a reason names; null for a merchant's own account, which has no ROUTE_* settings. */
function presentState(
  ctx: KnownRights,
  account: Capable,
  { name, settingsOf }: { name: CapabilityName; settingsOf: ProviderRoute | null },
): CapabilityState {
  const { supported, enabled, reason, setting } = stateOf(ctx, account, name)
  // The manual route has no settings for its capabilities.
  const isNamed = setting && settingsOf && settingsOf !== 'manual'
  const fullReason = isNamed ? `${reason} See the setting ${settingsOf.toUpperCase()}_${setting}.` : reason
  return {
    supported,
    enabled,
    ...(fullReason !== undefined && { reason: fullReason }),
    ...(PRESENTATIONS.includes(name) && { proofOfPayment: PROOF_OF_PAYMENT }),
  }
}
