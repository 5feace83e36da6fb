/** Reads the ROUTE_* settings: which driver sits in each of the contract's slots, and the settings of that driver. */
import type { z } from 'zod'
import { complaint } from '../complaint.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../contract/fields.ts'
import { DRIVERS, FISCAL_DRIVERS, type Route, type RouteTable } from '../providers/registry.ts'
import type { Mode } from './setting.ts'
import { quoted } from './value.ts'

/** Variables that are set and not empty. */
export type Given = Record<string, string>

/** What stands before ROUTE_* in the settings of the sandbox that is served beside a live world. */
export const SANDBOX_PREFIX = 'SANDBOX_'

export const NO_FISCAL_DRIVER = 'off'

/** In sandbox mode, slots that nobody configured show every face of the contract. */
export const SANDBOX_DEFAULTS: Given = {
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

/** The start of the names of a route's settings, such as `ROUTE_A_`. */
export function prefixOf(route: ProviderRoute): string {
  return `${route.toUpperCase()}_`
}

/**
 * A slot whose driver is set in the environment gets none of the sandbox's defaults. Problems do not stop the service:
 * they make the slot not ready, and its reason names each of them.
 */
export function readRoutes(mode: Mode, given: Given): RouteTable {
  const settings = withDefaults(mode, given)
  const rows = PROVIDER_ROUTES.map((route) => [route, readRoute(mode, route, settings)])
  return Object.fromEntries(rows) as RouteTable
}

/** The settings of the routes with the sandbox's defaults for the slots that nobody configured. */
export function withDefaults(mode: Mode, given: Given): Given {
  const isConfigured = (name: string) =>
    PROVIDER_ROUTES.some(
      (route) => name.startsWith(prefixOf(route)) && given[`${prefixOf(route)}DRIVER`] !== undefined,
    )
  const defaults = Object.entries(mode === 'sandbox' ? SANDBOX_DEFAULTS : {})
  return { ...Object.fromEntries(defaults.filter(([name]) => !isConfigured(name))), ...given }
}

/** What reading one driver's settings found: the settings, or what is not set and what is wrong. */
type Reading = { settings?: Record<string, unknown>; missing: string[]; wrong: string[] }

function readRoute(mode: Mode, route: ProviderRoute, given: Given): Route {
  const prefix = prefixOf(route)
  const driverName = route === 'manual' ? 'manual' : given[`${prefix}DRIVER`]
  const account = { id: `acc_${mode === 'live' ? '' : 'test_'}${route}`, live: mode === 'live' }
  const idle = { ...account, route, driverName: driverName ?? null, driver: null, settings: {}, fiscal: null }
  if (!driverName)
    return {
      ...idle,
      missing: [`${prefix}DRIVER`],
      reason: `No driver is configured for this route. Set ${prefix}DRIVER.`,
    }
  const row = Object.hasOwn(DRIVERS, driverName) && DRIVERS[driverName]
  if (!row) return { ...idle, missing: [], reason: unknownDriver('driver', `${prefix}DRIVER`, driverName) }
  const own = readOwn(prefix, row.settings, given)
  const { fiscal, ...printing } = readFiscal(`${prefix}FISCAL`, given)
  const missing = [...own.missing, ...printing.missing]
  const problems = [
    ...own.wrong,
    ...printing.wrong,
    ...(missing.length > 0 ? [`Set ${missing.join(', ')}.`] : []),
  ]
  if (!own.settings || problems.length > 0) return { ...idle, missing, reason: problems.join(' ') }
  return {
    ...account,
    route,
    driverName,
    driver: row.driver,
    settings: own.settings,
    fiscal,
    missing,
    reason: 'Ready.',
  }
}

/** A route whose receipts are wanted and cannot be printed is not ready: it would take money without them. */
function readFiscal(setting: string, given: Given): Omit<Reading, 'settings'> & Pick<Route, 'fiscal'> {
  const name = given[setting] ?? NO_FISCAL_DRIVER
  if (name === NO_FISCAL_DRIVER) return { fiscal: null, missing: [], wrong: [] }
  const row = Object.hasOwn(FISCAL_DRIVERS, name) && FISCAL_DRIVERS[name]
  if (!row) return { fiscal: null, missing: [], wrong: [unknownDriver('fiscal driver', setting, name)] }
  const { settings, missing, wrong } = readOwn(`${setting}_`, row.settings, given)
  const { driver } = row
  return {
    fiscal: settings ? { driver, settings, register: driver.registerOf(settings) } : null,
    missing,
    wrong,
  }
}

function unknownDriver(kind: 'driver' | 'fiscal driver', setting: string, name: string): string {
  const known = kind === 'driver' ? Object.keys(DRIVERS) : [NO_FISCAL_DRIVER, ...Object.keys(FISCAL_DRIVERS)]
  return `There is no ${kind} ${quoted(name)}. ${setting} must be one of ${known.join(', ')}.`
}

/** Reads the settings that one driver declares. Values are repeated only where the driver lists all of them: others can be secret. */
function readOwn(prefix: string, schema: z.ZodObject, given: Given): Reading {
  const own = Object.entries(given).filter(([name]) => name.startsWith(prefix))
  const values = Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
  const parsed = schema.safeParse(values, { error: complaint })
  if (parsed.success) return { settings: parsed.data, missing: [], wrong: [] }
  const problems = parsed.error.issues.map((issue) => ({ issue, name: `${prefix}${issue.path.join('_')}` }))
  const missing = problems.filter(({ name }) => given[name] === undefined).map(({ name }) => name)
  const wrong = problems
    .filter(({ name }) => given[name] !== undefined)
    .map(({ issue, name }) => {
      const shown = issue.code === 'invalid_value' ? `, not ${quoted(given[name] ?? '')}` : ''
      return `${name} ${issue.message}${shown}.`
    })
  return { missing: [...new Set(missing)], wrong }
}
