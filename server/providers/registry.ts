/**
 * The driver table and the route table: which driver sits in which of the contract's slots, by configuration.
 * Adding a driver adds one line to DRIVERS.
 */
import { z } from 'zod'
import { PROVIDER_ROUTES, type ProviderRoute } from '../contract/fields.ts'
import type { Driver } from './driver.ts'
import type { FiscalDriver, RouteFiscal } from './fiscal/driver.ts'
import { SandboxFiscalSettings, sandboxFiscalDriver } from './fiscal/sandbox/driver.ts'
import { manualDriver } from './manual.ts'
import { SandboxSettings, sandboxDriver } from './sandbox/driver.ts'

const DRIVERS = {
  sandbox: { driver: sandboxDriver, settings: SandboxSettings },
  manual: { driver: manualDriver, settings: z.object({}) },
} satisfies Record<string, { driver: Driver; settings: z.ZodObject }>

/** `ROUTE_X_FISCAL`: who prints the receipts of the payments on a route. */
const FISCAL_DRIVERS = {
  sandbox: { driver: sandboxFiscalDriver, settings: SandboxFiscalSettings },
} satisfies Record<string, { driver: FiscalDriver; settings: z.ZodObject }>

/** A slot as configured. `missing` names the settings that would make it ready; empty means ready. */
export type Route = {
  route: ProviderRoute
  driverName: string | null
  driver: Driver | null
  settings: Record<string, unknown>
  /** Null: its payments need no receipts. */
  fiscal: RouteFiscal | null
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
  ROUTE_A_FISCAL: 'sandbox',
  ROUTE_B_FISCAL: 'sandbox',
  ROUTE_C_FISCAL: 'sandbox',
  ROUTE_D_FISCAL: 'sandbox',
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
  const idle = { route, driverName: driverName ?? null, driver: null, settings: {}, fiscal: null }
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
  const parsed = schema.safeParse(settingsUnder(prefix, given))
  const fiscal = readFiscal(`${prefix}FISCAL`, given)
  const missing = [...namesOf(prefix, parsed.error), ...('missing' in fiscal ? fiscal.missing : [])]
  if (!parsed.success || 'missing' in fiscal)
    return { ...idle, missing, reason: `Missing or wrong: ${missing.join(', ')}.` }
  return { route, driverName, driver, settings: parsed.data, ...fiscal, missing, reason: 'Ready.' }
}

/** A route whose receipts are wanted and cannot be printed is not ready: it would take money without them. */
function readFiscal(
  setting: string,
  given: Record<string, string>,
): { fiscal: RouteFiscal | null } | { missing: string[] } {
  const name = given[setting] ?? 'off'
  if (name === 'off') return { fiscal: null }
  if (!Object.hasOwn(FISCAL_DRIVERS, name)) return { missing: [setting] }
  const { driver, settings: schema } = FISCAL_DRIVERS[name as keyof typeof FISCAL_DRIVERS]
  const prefix = `${setting}_`
  const parsed = schema.safeParse(settingsUnder(prefix, given))
  if (!parsed.success) return { missing: namesOf(prefix, parsed.error) }
  return { fiscal: { driver, settings: parsed.data, register: driver.registerOf(parsed.data) } }
}

function settingsUnder(prefix: string, given: Record<string, string>): Record<string, string> {
  const own = Object.entries(given).filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
}

/** The settings that a schema complains about. */
function namesOf(prefix: string, error: z.ZodError | undefined): string[] {
  return [...new Set(error?.issues.map((issue) => `${prefix}${issue.path.join('_')}`))]
}

export function isReady(route: Route): route is ReadyRoute {
  return route.driver !== null
}
