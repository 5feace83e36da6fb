/** Reads the ROUTE_* settings: the deployment's own account of each of the contract's slots. */
import {
  FISCAL,
  type Given,
  prefixOf,
  readDriverSettings,
  settingNames,
} from '../accounts/driver-settings.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../contract/fields.ts'
import { DRIVERS, type Route, type RouteTable } from '../providers/registry.ts'
import { type Mode, quoted } from './setting.ts'

/** The prefix of the ROUTE_* settings of the sandbox that is served beside a live world. */
export const SANDBOX_PREFIX = 'SANDBOX_'

/** In sandbox mode, slots without a configured driver get these settings, so that every feature of the contract can be tried. */
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

/** Returns the ROUTE_* settings that begin with `prefix`, by their names without it. */
export function routeSettingsOf(given: Given, prefix: '' | typeof SANDBOX_PREFIX): Given {
  const own = Object.entries(given).filter(([name]) => name.startsWith(`${prefix}ROUTE_`))
  return Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value]))
}

/** Rewrites a line about ROUTE_* settings for the sandbox beside a live world. */
export function ofSandbox(line: string): string {
  return line.replaceAll(/\bROUTE_/g, `${SANDBOX_PREFIX}ROUTE_`)
}

/** The setting that allows every merchant to use the deployment's own account of a route. */
export const SHARED = 'SHARED'
const BOOLEANS = ['true', 'false']

/**
 * Reads every slot. A slot whose driver is set in the environment gets none of the sandbox's defaults. A problem does not stop
 * the service. The slot is not ready, and its `reason` names each problem.
 */
export function readRoutes(mode: Mode, given: Given): RouteTable {
  const settings = withDefaults(mode, given)
  const rows = PROVIDER_ROUTES.map((route) => [route, readRoute(mode, route, settings)])
  return Object.fromEntries(rows) as RouteTable
}

/** Adds the sandbox's defaults for the slots without a configured driver. */
export function withDefaults(mode: Mode, given: Given): Given {
  const isConfigured = (name: string) =>
    PROVIDER_ROUTES.some(
      (route) => name.startsWith(prefixOf(route)) && given[`${prefixOf(route)}DRIVER`] !== undefined,
    )
  const defaults = Object.entries(mode === 'sandbox' ? SANDBOX_DEFAULTS : {})
  return { ...Object.fromEntries(defaults.filter(([name]) => !isConfigured(name))), ...given }
}

function readRoute(mode: Mode, route: ProviderRoute, given: Given): Route {
  const prefix = prefixOf(route)
  const driverName = route === 'manual' ? 'manual' : given[`${prefix}DRIVER`]
  const idle: Route = {
    // The account's id is known once the account is stored: see accounts/deployment.ts.
    id: `unstored_${route}`,
    live: mode === 'live',
    route,
    driverName: driverName ?? null,
    driver: null,
    settings: {},
    fiscal: null,
    amountBounds: {},
    shared: mode === 'sandbox',
    written: {},
    missing: [],
    misplaced: false,
    reason: '',
  }
  if (!driverName)
    return {
      ...idle,
      missing: [`${prefix}DRIVER`],
      reason: `No driver is configured for this route. Set ${prefix}DRIVER.`,
    }
  const read = readDriverSettings(driverName, given, { prefix, world: mode, owner: null })
  const shared = given[`${prefix}${SHARED}`] ?? String(idle.shared)
  const wrong = [
    ...read.wrong,
    ...(BOOLEANS.includes(shared)
      ? []
      : [`${prefix}${SHARED} must be one of ${BOOLEANS.join(', ')}, not ${quoted(shared)}.`]),
    ...(read.misplaced ? [`${prefix}*: ${read.misplaced}`] : []),
    ...(read.missing.length > 0 ? [`Set ${read.missing.join(', ')}.`] : []),
  ]
  const { driver, settings, fiscal, amountBounds, missing } = read
  if (!driver || wrong.length > 0)
    return { ...idle, missing, misplaced: read.misplaced !== null, reason: wrong.join(' ') }
  return {
    ...idle,
    driver,
    settings,
    fiscal,
    amountBounds,
    shared: shared === 'true',
    written: writtenOf(prefix, driverName, given),
    reason: ['Ready.', ...describeUnset(prefix, driverName, given)].join(' '),
  }
}

/** Returns one sentence for each optional setting that is not set, if its driver describes what is then missing. */
function describeUnset(prefix: string, driverName: string, given: Given): string[] {
  return Object.entries(DRIVERS[driverName]?.settings.shape ?? {}).flatMap(([name, schema]) => {
    const { unset } = schema.meta() ?? {}
    const isSet = given[`${prefix}${name}`] !== undefined
    return unset === undefined || isSet ? [] : [`${prefix}${name} is not set, so ${String(unset)}.`]
  })
}

/** Returns the settings of the route's account as they were written, by their names without the prefix. */
function writtenOf(prefix: string, driverName: string, given: Given): Given {
  const names = settingNames(driverName, given[`${prefix}${FISCAL}`])
  const own = names.map((name) => [name, given[`${prefix}${name}`]] as const)
  return Object.fromEntries(own.filter((entry): entry is [string, string] => entry[1] !== undefined))
}
