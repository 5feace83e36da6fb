/** Finds probable mistakes that do not stop the start: settings without effect, and misspelt settings. */
import { CALL_TIMEOUT, type Given, prefixOf } from '../accounts/driver-settings.ts'
import { findMeant, findNearest } from '../spelling.ts'
import { findPlainAddresses } from './plain-address.ts'
import {
  DRIVER_SETTINGS,
  FISCAL_DRIVER_SETTINGS,
  ROUTE_SETTING_NAMES,
  ROUTE_SETTINGS,
  SLOTS,
} from './route-table.ts'
import { ofSandbox, routeSettingsOf, SANDBOX_PREFIX, withDefaults } from './routes.ts'
import { type Mode, quoted, type Setting } from './setting.ts'
import { SETTINGS } from './table.ts'

const ROWS: Setting[] = Object.values(SETTINGS)
const UNIT_SUFFIX = /_(MS|S|SEC|SECS|SECONDS|MINUTES|HOURS|DAYS)$/
/** Settings of earlier versions, and what became of them. */
export const ENDED_SETTINGS: Record<string, string> = {
  REDIS_URL:
    'is ignored. The limits of sign-ins, wrong tokens and declines are shared in the database, so Redis is not needed any more.',
  ...Object.fromEntries(
    SLOTS.map((slot) => [
      `${prefixOf(slot)}${CALL_TIMEOUT}`,
      'is ignored. Each driver states how long its provider may take.',
    ]),
  ),
}
const KNOWN = [...ROWS.map(({ name }) => name), ...ROUTE_SETTING_NAMES]

export function findWarnings(mode: Mode, given: Given): string[] {
  const ofRows = ROWS.flatMap((row) => warnOf(row, given) ?? [])
  return [
    ...ofRows,
    ...Object.entries(ENDED_SETTINGS).flatMap(([name, why]) =>
      [name, `${SANDBOX_PREFIX}${name}`]
        .filter((each) => given[each] !== undefined)
        .map((each) => `${each} ${why}`),
    ),
    ...findUnused(mode, given),
    ...warnOfSandboxRoutes(mode, given),
    ...(mode === 'live' ? warnOfPlainAddresses(given) : []),
  ]
}

function warnOfPlainAddresses(given: Given): string[] {
  const { databaseUrl, databaseDirectUrl } = SETTINGS
  const addresses = Object.entries({ databaseUrl, databaseDirectUrl }).flatMap(([key, row]) => {
    const address = given[row.name]
    // A wrong address is an error, which names it.
    return address !== undefined && row.schema.safeParse(address).success ? [[key, address]] : []
  })
  return findPlainAddresses(Object.fromEntries(addresses)).map(({ message }) => message)
}

function warnOf(row: Setting, given: Given): string | null {
  const { name, companion } = row
  if (given[name] === undefined || !companion || given[companion] !== undefined) return null
  return `${name} has no effect, because ${companion} is not set.`
}

/** SANDBOX_ROUTE_* settings are for the sandbox of a service in live mode. A service in sandbox mode uses the ROUTE_* settings. */
function warnOfSandboxRoutes(mode: Mode, given: Given): string[] {
  const own = routeSettingsOf(given, SANDBOX_PREFIX)
  if (mode === 'live') return findUnused('sandbox', own).map(ofSandbox)
  return Object.keys(own)
    .filter((name) => ROUTE_SETTING_NAMES.includes(name))
    .map(
      (name) =>
        `${SANDBOX_PREFIX}${name} has no effect. It is for the sandbox of a service in live mode. With ${SETTINGS.mode.name}=sandbox, set ${name}.`,
    )
}

/** Returns a warning for each setting that belongs to another driver than the route's. */
function findUnused(mode: Mode, given: Given): string[] {
  const settings = withDefaults(mode, given)
  return SLOTS.flatMap((slot) => {
    const prefix = prefixOf(slot)
    const [driver, fiscal] = [settings[`${prefix}DRIVER`], settings[`${prefix}FISCAL`]]
    const used = [
      ROUTE_SETTINGS,
      DRIVER_SETTINGS[driver ?? ''] ?? [],
      FISCAL_DRIVER_SETTINGS[fiscal ?? ''] ?? [],
    ]
    const names = used.flat().map(({ name }) => `${prefix}${name}`)
    return Object.keys(given)
      .filter(
        (name) => name.startsWith(prefix) && ROUTE_SETTING_NAMES.includes(name) && !names.includes(name),
      )
      .map((name) => `${name} has no effect. ${whoReads(name, prefix, { driver, fiscal })}`)
  })
}

function whoReads(
  name: string,
  prefix: string,
  now: { driver?: string | undefined; fiscal?: string | undefined },
): string {
  const isFiscal = name.startsWith(`${prefix}FISCAL_`)
  const table = isFiscal ? FISCAL_DRIVER_SETTINGS : DRIVER_SETTINGS
  const readers = Object.keys(table).filter((each) =>
    table[each]?.some((row) => `${prefix}${row.name}` === name),
  )
  const chosen = isFiscal
    ? { by: `${prefix}FISCAL`, is: now.fiscal }
    : { by: `${prefix}DRIVER`, is: now.driver }
  const state = chosen.is === undefined ? 'is not set' : `is ${quoted(chosen.is)}`
  const who = readers.length > 1 ? `drivers ${readers.join(', ')} read` : `driver ${readers.join()} reads`
  return `Only the ${who} it, and ${chosen.by} ${state}.`
}

/** The setting that was probably meant, with the product's name before it or a unit after it, or null. */
function findSetting(name: string): string | null {
  const bare = name
    .toUpperCase()
    .replace(/^KASSA_/, '')
    .replace(UNIT_SUFFIX, '')
  return findMeant(bare, KNOWN)
}

/** Returns a warning for each unknown name that starts with ROUTE_ or looks like a misspelt setting. */
export function findMisspelt(given: Given): string[] {
  return Object.keys(given).flatMap((name) => {
    const prefix = name.startsWith(`${SANDBOX_PREFIX}ROUTE_`) ? SANDBOX_PREFIX : ''
    const ownName = name.slice(prefix.length)
    if (KNOWN.includes(ownName) || Object.hasOwn(ENDED_SETTINGS, ownName)) return []
    const nearest = /^ROUTE_/.test(ownName) ? findNearest(ownName, ROUTE_SETTING_NAMES) : findSetting(ownName)
    const meant = nearest && `${prefix}${nearest}`
    return meant ? `${name} is not a setting and has no effect. Did you mean ${meant}?` : []
  })
}
