/**
 * Reads the settings of one account, which two drivers declare: the provider's driver and the cash register's driver. The same
 * code reads ROUTE_* settings and the settings of accounts that an operator created.
 */
import type { z } from 'zod'
import { complaint } from '../complaint.ts'
import type { ProviderRoute } from '../contract/fields.ts'
import type { World } from '../contract/health.ts'
import { type Account, DRIVERS, FISCAL_DRIVERS } from '../providers/registry.ts'
import { quoted } from '../settings/setting.ts'
import { AMOUNT_BOUNDS, readAmountBounds } from './amount-bounds.ts'

/** Returns the prefix of the names of the settings of the deployment's own account, such as `ROUTE_A_`. */
export function prefixOf(route: ProviderRoute): string {
  return route === 'manual' ? 'ROUTE_MANUAL_' : `${route.toUpperCase()}_`
}

/** Names with their values as an operator writes them. */
export type Given = Record<string, string>

/** Settings that every account has in addition to those of its drivers. */
export const FISCAL = 'FISCAL'
export const CREDENTIALS = 'CREDENTIALS'
export const NO_FISCAL_DRIVER = 'off'
export const CREDENTIAL_KINDS = ['test', 'live'] as const

export type ReadSettings = Pick<Account, 'settings' | 'fiscal' | 'amountBounds'> & {
  /** Null while a setting is missing or wrong. */
  driver: Account['driver'] | null
  /** The names of required settings that are not set. */
  missing: string[]
  /** One sentence for each setting that is wrong. */
  wrong: string[]
  /** The reason, if the credentials belong to the other world. Test money and real money must never be mixed. */
  misplaced: string | null
}

const NOTHING = {
  driver: null,
  settings: {},
  fiscal: null,
  amountBounds: {},
  missing: [],
  wrong: [],
  misplaced: null,
}

/**
 * `prefix`: the prefix of each name in `given`, such as `ROUTE_A_`. It is empty for accounts that an operator created. `owner`:
 * the merchant who owns the account. A merchant never shares a cash register with others, even if the names are equal.
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
  const terms = readTerms(prefix, given)
  const [missing, wrong] = [
    [...own.missing, ...printing.missing],
    [...own.wrong, ...printing.wrong, ...terms.wrong],
  ]
  if (!own.settings || missing.length > 0 || wrong.length > 0) return { ...NOTHING, missing, wrong }
  const isSimulated = world === 'live' && !row.driver.liveCapable
  // The live world rejects a simulated driver anyway, so its credentials are not checked.
  const kind = isSimulated
    ? null
    : kindOfCredentials(row.driver, own.settings, given[`${prefix}${CREDENTIALS}`])
  if (kind === 'unknown') return { ...NOTHING, missing: [`${prefix}${CREDENTIALS}`] }
  const misplaced = kind && whyMisplaced(kind, world)
  return {
    driver: misplaced ? null : row.driver,
    settings: own.settings,
    fiscal: printing.fiscal,
    amountBounds: terms.amountBounds,
    missing,
    wrong,
    misplaced,
  }
}

/** Reads what the contract says beside the driver's own settings. */
function readTerms(prefix: string, given: Given): { amountBounds: Account['amountBounds']; wrong: string[] } {
  const name = `${prefix}${AMOUNT_BOUNDS}`
  const text = given[name]
  const amountBounds = text === undefined ? {} : readAmountBounds(text)
  if (amountBounds) return { amountBounds, wrong: [] }
  const form = 'currencies with their smallest and largest amounts, such as `EUR 1.00-5000.00, USD 2.00-`'
  return { amountBounds: {}, wrong: [`${name} must be ${form}, not ${quoted(text ?? '')}.`] }
}

/** Returns null for a driver without credentials. `unknown`: neither the driver nor the operator's CREDENTIALS setting tells. */
function kindOfCredentials(
  { modeOf }: Account['driver'],
  settings: Account['settings'],
  confirmed: string | undefined,
): 'test' | 'live' | 'unknown' | null {
  const kind = modeOf?.(settings) ?? null
  if (kind !== 'untellable') return kind
  return CREDENTIAL_KINDS.find((each) => each === confirmed) ?? 'unknown'
}

function whyMisplaced(kind: 'test' | 'live', world: World): string | null {
  if (kind === 'live' && world === 'sandbox')
    return 'These credentials are for real money, and this is the sandbox. Use the test credentials of the provider.'
  if (kind === 'test' && world === 'live')
    return 'These credentials are for test money, and this is the live world. Use the live credentials of the provider.'
  return null
}

/** An account whose configured cash register cannot work is not ready. Otherwise it would take money without receipts. */
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

/**
 * Reads the settings that one driver declares. A message repeats only values of settings with a fixed list, because others can be
 * secret.
 */
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

/** A setting of earlier versions, which accounts may have stored. It has no effect, and goes when the account gets new settings. */
export const CALL_TIMEOUT = 'CALL_TIMEOUT'

/** Returns the stored settings of an account that this version still has. */
export function withoutEnded({ [CALL_TIMEOUT]: _, ...stored }: Given): Given {
  return stored
}

/** Returns the names of an account's secret settings, without a prefix. */
export function secretNames(driverName: string, fiscalName: string | undefined): string[] {
  const own = DRIVERS[driverName]?.driver.secrets ?? []
  const printing = FISCAL_DRIVERS[fiscalName ?? '']?.driver.secrets ?? []
  return [...own, ...printing.map((name) => `${FISCAL}_${name}`)]
}

/** Returns the names of all settings of an account with these drivers. */
export function settingNames(driverName: string, fiscalName: string | undefined): string[] {
  const own = Object.keys(DRIVERS[driverName]?.settings.shape ?? {})
  const printing = Object.keys(FISCAL_DRIVERS[fiscalName ?? '']?.settings.shape ?? {})
  return [...own, FISCAL, CREDENTIALS, AMOUNT_BOUNDS, ...printing.map((name) => `${FISCAL}_${name}`)]
}

/**
 * Returns the values of the driver's identity settings as one text. They tell which contract with the provider the account is.
 * An account that names none of them has the identity of a driver without such settings.
 */
export function identityOf({ driver, settings }: Pick<Account, 'driver' | 'settings'>): string {
  const values = (driver.identity ?? []).map((name) => settings[name] ?? null)
  if (values.every((value) => value === null)) return NO_IDENTITY
  return plainIdentity(driver, JSON.stringify(values))
}

/** Returns a stored identity as this version writes it. An earlier version has stored the values as they were written. */
export function plainIdentity({ plainIdentity: plain }: Account['driver'], identity: string): string {
  if (!plain) return identity
  const values: unknown[] = JSON.parse(identity)
  return JSON.stringify(values.map((value) => (typeof value === 'string' ? plain(value) : value)))
}
export const NO_IDENTITY = '[]'
