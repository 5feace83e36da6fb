/** Checks all settings of the environment at once, and collects every error and every probable mistake. */
import { type Given, NO_FISCAL_DRIVER, prefixOf } from '../accounts/driver-settings.ts'
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import { DRIVERS, FISCAL_DRIVERS, type RouteTable } from '../providers/registry.ts'
import { SLOTS } from './route-table.ts'
import { ofSandbox, readRoutes, routeSettingsOf, SANDBOX_PREFIX } from './routes.ts'
import { type Mode, quoted, type Setting } from './setting.ts'
import { SETTINGS, type Settings } from './table.ts'
import { findMisspelt, findWarnings } from './warnings.ts'

/**
 * Each list has one line for each problem. The `values` are complete only if there are no `errors`. A wrong setting of a route is
 * not an error, because it stops only that route.
 */
export type Checked = {
  values: Partial<Settings>
  errors: string[]
  routes: string[]
  misspelt: string[]
  warnings: string[]
}

const ROWS: [key: string, row: Setting][] = Object.entries(SETTINGS)

/** `given`: the variables that are set and not empty. */
export function checkSettings(given: Given): Checked {
  const mode = given[SETTINGS.mode.name] === 'live' ? 'live' : 'sandbox'
  const read = ROWS.map(([key, row]) => ({ key, ...readSetting(row, mode, given) }))
  return {
    values: Object.fromEntries(read.map(({ key, value }) => [key, value])),
    errors: [
      ...read.flatMap(({ error }) => error ?? []),
      ...(mode === 'live' ? findSimulated(given) : []),
      ...findMisplaced(mode, given),
      ...findMissing(given),
      ...findTwice(given),
      ...(mode === 'live' ? findNamelessConsole(given) : []),
      ...findSharedOrigin(given),
    ],
    routes: [
      ...routeProblems(readRoutes(mode, given), given),
      ...(mode === 'live' ? sandboxRouteProblems(given) : []),
    ],
    misspelt: findMisspelt(given),
    warnings: findWarnings(mode, given),
  }
}

/** The console's cookies and forms would belong to the pages of buyers, and the other way round. */
function findSharedOrigin(given: Given): string[] {
  const { baseUrl, consoleBaseUrl, port } = SETTINGS
  const own = originOf(given[baseUrl.name] ?? `http://localhost:${given[port.name] ?? port.default}`)
  const desk = originOf(given[consoleBaseUrl.name])
  if (desk === null || desk !== own) return []
  return [`${consoleBaseUrl.name}: must be another address than ${baseUrl.name}, with a host name of its own`]
}

/** A dot behind the host name is another spelling of the same name. */
function originOf(text: string | undefined): string | null {
  return text !== undefined && URL.canParse(text) ? new URL(text).origin.replace(/\.(?=(:\d+)?$)/, '') : null
}

function readSetting(row: Setting, mode: Mode, settings: Given): { value?: unknown; error?: string } {
  const given = settings[row.name]
  const text = given ?? (typeof row.default === 'object' ? row.default[mode] : row.default)
  const parsed = text === undefined ? undefined : row.schema.safeParse(text)
  if (parsed?.error) return { error: `${row.name}: ${messageOf(row, parsed.error.issues[0]?.message, text)}` }
  if (mode === 'live' && row.live && !row.live.accepts(given) && !isReplaced(row, settings))
    return {
      error: [`${row.name}: live mode needs ${row.live.needs}`, row.live.remedy ?? []].flat().join('. '),
    }
  return { value: parsed?.data }
}

function isReplaced({ name }: Setting, given: Given): boolean {
  return ROWS.some(([, other]) => other.insteadOf?.includes(name) && given[other.name] !== undefined)
}

/** The message of a `notation` already names the wrong part. The general message gets the value appended, unless it is a secret. */
function messageOf({ takes, secret }: Setting, message = '', given = ''): string {
  return message === `must be ${takes}` && !secret ? `${message}, not ${quoted(given)}` : message
}

/** Returns an error for each simulated bank or cash register. Live mode never runs with one. */
function findSimulated(given: Given): string[] {
  const able = Object.entries(DRIVERS).filter(([, { driver }]) => driver.liveCapable)
  const printers = Object.entries(FISCAL_DRIVERS).filter(([, { liveCapable }]) => liveCapable)
  const allowed = {
    DRIVER: { all: DRIVERS, live: able.map(([name]) => name) },
    FISCAL: { all: FISCAL_DRIVERS, live: [NO_FISCAL_DRIVER, ...printers.map(([name]) => name)] },
  }
  return SLOTS.flatMap((slot) =>
    Object.entries(allowed).flatMap(([suffix, { all, live }]) => {
      const name = `${prefixOf(slot)}${suffix}`
      const value = given[name]
      if (value === undefined || !Object.hasOwn(all, value) || live.includes(value)) return []
      return `${name}: must be one of ${live.join(', ')} in live mode, not ${quoted(value)}, which is simulated`
    }),
  )
}

/** Returns an error for each setting that another setting needs and that is not set. */
function findMissing(given: Given): string[] {
  return ROWS.flatMap(([, { name, needs }]) =>
    needs !== undefined && given[name] !== undefined && given[needs] === undefined
      ? `${needs}: must be set, because ${name} is set`
      : [],
  )
}

/** Returns an error for each two settings of which only one may be set. */
function findTwice(given: Given): string[] {
  return ROWS.flatMap(([, { name, insteadOf = [] }]) =>
    insteadOf
      .filter((other) => given[name] !== undefined && given[other] !== undefined)
      .map((other) => `${name}: cannot be set together with ${other}. Remove one of them`),
  )
}

/** Returns an error for a console of live mode without its https address. */
function findNamelessConsole(given: Given): string[] {
  const { consolePort, consoleBaseUrl } = SETTINGS
  const isOn = given[consolePort.name] !== undefined && given[consolePort.name] !== 'off'
  return isOn && given[consoleBaseUrl.name] === undefined
    ? [
        `${consoleBaseUrl.name}: must be set, because ${consolePort.name} is set. Live mode needs an https address`,
      ]
    : []
}

/** Returns an error for credentials of the other world, so that test money and real money are never mixed. */
function findMisplaced(mode: Mode, given: Given): string[] {
  const beside = Object.entries(given).filter(([name]) => name.startsWith(`${SANDBOX_PREFIX}ROUTE_`))
  const sandbox = Object.fromEntries(
    beside.map(([name, value]) => [name.slice(SANDBOX_PREFIX.length), value]),
  )
  const read = [
    { prefix: '', routes: readRoutes(mode, given) },
    ...(mode === 'live' ? [{ prefix: SANDBOX_PREFIX, routes: readRoutes('sandbox', sandbox) }] : []),
  ]
  return read.flatMap(({ prefix, routes }) =>
    Object.values(routes).flatMap(({ misplaced, reason }) => (misplaced ? `${prefix}${reason}` : [])),
  )
}

/** Returns why routes cannot accept payments. Skips routes without any setting. */
function routeProblems(routes: RouteTable, given: Given): string[] {
  return PROVIDER_ROUTES.flatMap((slot) => {
    const { driver, reason } = routes[slot]
    const isConfigured = Object.keys(given).some((name) => name.startsWith(prefixOf(slot)))
    return driver || !isConfigured ? [] : `${slot} is not ready: ${reason}`
  })
}

/** Returns the same for the routes of the sandbox beside a live world. */
function sandboxRouteProblems(given: Given): string[] {
  const own = routeSettingsOf(given, SANDBOX_PREFIX)
  return routeProblems(readRoutes('sandbox', own), own).map((line) => ofSandbox(`In the sandbox, ${line}`))
}
