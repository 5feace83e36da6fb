/**
 * Reads the settings of one account as its drivers declare them: the provider's driver, and the driver of the cash register.
 * The same code reads ROUTE_* settings and the settings of an account that an operator set.
 */
import type { z } from 'zod'
import { complaint } from '../complaint.ts'
import type { World } from '../contract/health.ts'
import { type Account, DRIVERS, FISCAL_DRIVERS } from '../providers/registry.ts'
import { quoted } from '../settings/value.ts'

/** Names with their values as an operator writes them. */
export type Given = Record<string, string>

/** Settings that every account has besides those of its drivers. */
export const FISCAL = 'FISCAL'
export const CREDENTIALS = 'CREDENTIALS'
export const NO_FISCAL_DRIVER = 'off'
export const CREDENTIAL_KINDS = ['test', 'live'] as const

export type ReadSettings = Pick<Account, 'settings' | 'fiscal'> & {
  /** Null while a setting is missing or wrong. */
  driver: Account['driver'] | null
  /** The names of settings that are not set and must be. */
  missing: string[]
  /** One sentence for each setting that is wrong. */
  wrong: string[]
  /** Set when the credentials belong to the other world: test money and real money never meet. */
  misplaced: string | null
}

const NOTHING = { driver: null, settings: {}, fiscal: null, missing: [], wrong: [], misplaced: null }

/**
 * `prefix`: what stands before each name in `given`, such as `ROUTE_A_`; empty for an account of its own. `owner`: the merchant
 * whose account it is. A merchant's cash registers are apart from everybody else's, whatever they are called.
 */
export function readDriverSettings(
  driverName: string,
  given: Given,
  { prefix, world, owner }: { prefix: string; world: World; owner: string | null },
): ReadSettings {
  const row = Object.hasOwn(DRIVERS, driverName) && DRIVERS[driverName]
  if (!row) return { ...NOTHING, wrong: [unknownDriver('driver', `${prefix}DRIVER`, driverName)] }
  const own = readOwn(prefix, row.settings, given)
  const printing = readFiscal(`${prefix}${FISCAL}`, given, owner)
  const [missing, wrong] = [
    [...own.missing, ...printing.missing],
    [...own.wrong, ...printing.wrong],
  ]
  if (!own.settings || missing.length > 0 || wrong.length > 0) return { ...NOTHING, missing, wrong }
  const isSimulated = world === 'live' && !row.driver.liveCapable
  // A simulated driver is refused as such in the live world, whatever its credentials are.
  const kind = isSimulated
    ? null
    : kindOfCredentials(row.driver, own.settings, given[`${prefix}${CREDENTIALS}`])
  if (kind === 'untold') return { ...NOTHING, missing: [`${prefix}${CREDENTIALS}`] }
  const misplaced = kind && whyMisplaced(kind, world)
  return {
    driver: misplaced ? null : row.driver,
    settings: own.settings,
    fiscal: printing.fiscal,
    missing,
    wrong,
    misplaced,
  }
}

/** Null for a driver without credentials. `untold`: the driver cannot tell, and the operator has not said so either. */
function kindOfCredentials(
  { modeOf }: Account['driver'],
  settings: Account['settings'],
  confirmed: string | undefined,
): 'test' | 'live' | 'untold' | null {
  const kind = modeOf?.(settings) ?? null
  if (kind !== 'untellable') return kind
  return CREDENTIAL_KINDS.find((each) => each === confirmed) ?? 'untold'
}

function whyMisplaced(kind: 'test' | 'live', world: World): string | null {
  if (kind === 'live' && world === 'sandbox')
    return 'These credentials are for real money, and this is the sandbox. Use the test credentials of the provider.'
  if (kind === 'test' && world === 'live')
    return 'These credentials are for test money, and this is the live world. Use the live credentials of the provider.'
  return null
}

/** An account whose receipts are wanted and cannot be printed is not ready: it would take money without them. */
function readFiscal(setting: string, given: Given, owner: string | null) {
  const name = given[setting] ?? NO_FISCAL_DRIVER
  if (name === NO_FISCAL_DRIVER) return { fiscal: null, missing: [], wrong: [] }
  const row = Object.hasOwn(FISCAL_DRIVERS, name) && FISCAL_DRIVERS[name]
  if (!row) return { fiscal: null, missing: [], wrong: [unknownDriver('fiscal driver', setting, name)] }
  const { settings, missing, wrong } = readOwn(`${setting}_`, row.settings, given)
  const { driver } = row
  const register = settings && driver.registerOf(settings)
  return {
    fiscal: settings
      ? {
          driverName: name,
          driver,
          settings,
          register: owner === null ? `${register}` : `${owner}/${register}`,
        }
      : null,
    missing,
    wrong,
  }
}

function unknownDriver(kind: 'driver' | 'fiscal driver', setting: string, name: string): string {
  const known = kind === 'driver' ? Object.keys(DRIVERS) : [NO_FISCAL_DRIVER, ...Object.keys(FISCAL_DRIVERS)]
  return `There is no ${kind} ${quoted(name)}. ${setting} must be one of ${known.join(', ')}.`
}

/** Reads the settings that one driver declares. Values are repeated only where the driver lists all of them: others can be secret. */
function readOwn(prefix: string, schema: z.ZodObject, given: Given) {
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
  return { settings: null, missing: [...new Set(missing)], wrong }
}

/** The names of an account's settings that are secret, as they stand in `given` without a prefix. */
export function secretNames(driverName: string, fiscalName: string | undefined): string[] {
  const own = DRIVERS[driverName]?.driver.secrets ?? []
  const printing = FISCAL_DRIVERS[fiscalName ?? '']?.driver.secrets ?? []
  return [...own, ...printing.map((name) => `${FISCAL}_${name}`)]
}

/** The names that an account of these drivers reads. */
export function settingNames(driverName: string, fiscalName: string | undefined): string[] {
  const own = Object.keys(DRIVERS[driverName]?.settings.shape ?? {})
  const printing = Object.keys(FISCAL_DRIVERS[fiscalName ?? '']?.settings.shape ?? {})
  return [...own, FISCAL, CREDENTIALS, ...printing.map((name) => `${FISCAL}_${name}`)]
}

/** What says which contract it is: the values of the driver's identity settings, as one text. */
export function identityOf({ driver, settings }: Pick<Account, 'driver' | 'settings'>): string {
  return JSON.stringify((driver.identity ?? []).map((name) => settings[name] ?? null))
}
