/** Lists every ROUTE_* setting, as the drivers declare them. The guide uses the list, and the check for misspelt names. */
import { z } from 'zod'
import { AMOUNT_BOUNDS } from '../accounts/amount-bounds.ts'
import { CREDENTIAL_KINDS, CREDENTIALS, NO_FISCAL_DRIVER, prefixOf } from '../accounts/driver-settings.ts'
import { PROVIDER_ROUTES } from '../contract/fields.ts'
import { DRIVERS, FISCAL_DRIVERS } from '../providers/registry.ts'
import { SHARED } from './routes.ts'

/** The slots that have a choice of drivers. The manual route has one driver. */
export const SLOTS = PROVIDER_ROUTES.filter((route) => route !== 'manual')

/** A setting of a driver. `name`: the part after the route's name, such as `STEPS` in `ROUTE_A_STEPS`. */
export type DriverSetting = {
  name: string
  takes: string
  default: string | null
  isNeeded: boolean
  about: string
}

export const ROUTE_SETTINGS: DriverSetting[] = [
  {
    name: 'DRIVER',
    takes: `one of ${Object.keys(DRIVERS).join(', ')}`,
    default: null,
    isNeeded: false,
    about: 'The driver of the route. A route without a driver accepts no payments.',
  },
  {
    name: 'FISCAL',
    takes: `one of ${[NO_FISCAL_DRIVER, ...Object.keys(FISCAL_DRIVERS)].join(', ')}`,
    default: NO_FISCAL_DRIVER,
    isNeeded: false,
    about:
      'The driver of the cash register that prints the receipts of the route. `off`: the route prints none.',
  },
  {
    name: SHARED,
    takes: 'true or false',
    default: null,
    isNeeded: false,
    about:
      "Whether every merchant may use the deployment's own account of the route. The default is `true` in the sandbox and `false` in the live world.",
  },
  {
    name: CREDENTIALS,
    takes: `one of ${CREDENTIAL_KINDS.join(', ')}`,
    default: null,
    isNeeded: false,
    about:
      'Whether the credentials are for test money or real money. Required for drivers that cannot see this in the credentials. Other drivers ignore it.',
  },
  {
    name: AMOUNT_BOUNDS,
    takes: 'currencies with amounts, such as `EUR 1.00-5000.00, USD 2.00-`',
    default: null,
    isNeeded: false,
    about:
      "The smallest and largest amount of a payment in each currency, where the contract differs from what the provider documents. Leave one side empty to keep the provider's. An amount outside is rejected with 422 before the provider is asked.",
  },
]

/** The settings of each driver by its name. */
export const DRIVER_SETTINGS = tableOf(DRIVERS, '')
export const FISCAL_DRIVER_SETTINGS = tableOf(FISCAL_DRIVERS, 'FISCAL_')

const SUFFIXES = [
  ...new Set(
    [ROUTE_SETTINGS, ...Object.values(DRIVER_SETTINGS), ...Object.values(FISCAL_DRIVER_SETTINGS)]
      .flat()
      .map(({ name }) => name),
  ),
]

const MANUAL_SUFFIXES = [SHARED, AMOUNT_BOUNDS, ...(DRIVER_SETTINGS.manual ?? []).map(({ name }) => name)]

/** Every name that a ROUTE_* setting can have. */
export const ROUTE_SETTING_NAMES = [
  ...SLOTS.flatMap((slot) => SUFFIXES.map((suffix) => `${prefixOf(slot)}${suffix}`)),
  ...MANUAL_SUFFIXES.map((suffix) => `${prefixOf('manual')}${suffix}`),
]

function tableOf(
  drivers: Record<string, { settings: z.ZodObject }>,
  prefix: string,
): Record<string, DriverSetting[]> {
  const rows = Object.entries(drivers).map(([driver, { settings }]) => [
    driver,
    Object.entries(settings.shape).map(([name, schema]) => describe(`${prefix}${name}`, schema as z.ZodType)),
  ])
  return Object.fromEntries(rows)
}

/** Reads a driver's `.describe()`, and its `.meta()` with `takes` if the schema does not list the values. */
function describe(name: string, schema: z.ZodType): DriverSetting {
  const hasDefault = schema instanceof z.ZodDefault
  const inner = hasDefault || schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema
  const { description = '', takes } = { ...inner.meta(), ...schema.meta() } as {
    description?: string
    takes?: string
  }
  return {
    name,
    takes: inner instanceof z.ZodEnum ? `one of ${inner.options.join(', ')}` : (takes ?? 'text'),
    default: hasDefault ? String(schema.parse(undefined)) : null,
    isNeeded: !schema.safeParse(undefined).success,
    about: description,
  }
}
