/**
 * The driver table and the route table: which driver sits in which of the contract's slots, by configuration.
 * Adding a driver adds one line to DRIVERS.
 */
import { z } from 'zod'
import { PROVIDER_ROUTES, type ProviderRoute } from '../contract/fields.ts'
import type { Driver } from './driver.ts'
import { manualDriver } from './manual.ts'
import { SandboxSettings, sandboxDriver } from './sandbox.ts'

const DRIVERS = {
  sandbox: { driver: sandboxDriver, settings: SandboxSettings },
  manual: { driver: manualDriver, settings: z.object({}) },
} satisfies Record<string, { driver: Driver; settings: z.ZodObject }>

/** A slot as configured. `missing` names the settings that would make it ready; empty means ready. */
export type Route = {
  route: ProviderRoute
  driverName: string | null
  driver: Driver | null
  settings: Record<string, unknown>
  missing: string[]
  reason: string
}
export type ReadyRoute = Route & { driver: Driver }
export type RouteTable = Record<ProviderRoute, Route>

/** In sandbox mode, slots that nobody configured show every face of the contract. */
const SANDBOX_DEFAULTS: Record<string, string> = {
  ROUTE_A_DRIVER: 'sandbox',
  ROUTE_B_DRIVER: 'sandbox',
  ROUTE_B_STEPS: 'two',
  ROUTE_C_DRIVER: 'sandbox',
  ROUTE_C_OPERATIONS: 'disabled',
  ROUTE_D_DRIVER: 'sandbox',
  ROUTE_D_OPERATIONS: 'not_configured',
}

/**
 * Reads the ROUTE_* settings. A slot that names a driver in the environment takes none of the sandbox's defaults.
 * Problems do not stop the service: they make the slot not ready, and say why.
 */
export function readRoutes(mode: 'sandbox' | 'live', given: Record<string, string>): RouteTable {
  const configured = (route: string) => given[`${route.toUpperCase()}_DRIVER`] !== undefined
  const defaults = Object.entries(mode === 'sandbox' ? SANDBOX_DEFAULTS : {})
  const unclaimed = defaults.filter(([name]) => !configured(name.slice(0, 'route_x'.length)))
  const settings = { ...Object.fromEntries(unclaimed), ...given }
  const rows = PROVIDER_ROUTES.map((route) => [route, readRoute(route, settings)])
  return Object.fromEntries(rows) as RouteTable
}

function readRoute(route: ProviderRoute, given: Record<string, string>): Route {
  const prefix = `${route.toUpperCase()}_`
  const driverName = route === 'manual' ? 'manual' : given[`${prefix}DRIVER`]
  const idle = { route, driverName: driverName ?? null, driver: null, settings: {} }
  if (!driverName)
    return { ...idle, missing: [`${prefix}DRIVER`], reason: 'No driver is configured for this route.' }
  if (!Object.hasOwn(DRIVERS, driverName)) {
    const known = Object.keys(DRIVERS).join(', ')
    return {
      ...idle,
      missing: [`${prefix}DRIVER`],
      reason: `There is no driver "${driverName}"; there are: ${known}.`,
    }
  }
  const { driver, settings: schema } = DRIVERS[driverName as keyof typeof DRIVERS]
  const own = Object.entries(given).filter(([name]) => name.startsWith(prefix))
  const parsed = schema.safeParse(
    Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])),
  )
  if (parsed.success)
    return { route, driverName, driver, settings: parsed.data, missing: [], reason: 'Ready.' }
  const missing = [...new Set(parsed.error.issues.map((issue) => `${prefix}${issue.path.join('_')}`))]
  return { ...idle, missing, reason: `Missing or wrong: ${missing.join(', ')}.` }
}

export function isReady(route: Route): route is ReadyRoute {
  return route.driver !== null
}
