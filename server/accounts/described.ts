/** The settings of a driver as a form asks for them: by their own names, with the help of the driver's schema. */
import { z } from 'zod'
import { DRIVERS, FISCAL_DRIVERS } from '../providers/registry.ts'
import { AMOUNT_BOUNDS } from './amount-bounds.ts'
import { CREDENTIAL_KINDS, CREDENTIALS, FISCAL } from './driver-settings.ts'

/** `help`: in English. `choices`: null for any text. */
export type DescribedSetting = {
  name: string
  help: string
  isSecret: boolean
  isRequired: boolean
  choices: readonly string[] | null
}

/** The names of the drivers that an account can have. */
export const driverNames = (): string[] => Object.keys(DRIVERS)

/** Returns nothing for an unknown driver. Those of a cash register stand at the end, and none of them is required by itself. */
export function describeSettings(driverName: string): DescribedSetting[] {
  const row = Object.hasOwn(DRIVERS, driverName) ? DRIVERS[driverName] : undefined
  if (!row) return []
  const registers = Object.entries(FISCAL_DRIVERS).flatMap(([, { driver, settings }]) =>
    describe(settings, driver.secrets ?? []).map((each) => ({
      ...each,
      name: `${FISCAL}_${each.name}`,
      isRequired: false,
    })),
  )
  return [...describe(row.settings, row.driver.secrets ?? []), ...COMMON, ...registers]
}

const COMMON: readonly DescribedSetting[] = [
  {
    name: CREDENTIALS,
    isSecret: false,
    isRequired: false,
    choices: CREDENTIAL_KINDS,
    help: 'Whether the credentials move test money or real money, where the driver cannot tell.',
  },
  {
    name: AMOUNT_BOUNDS,
    isSecret: false,
    isRequired: false,
    choices: null,
    help: 'The smallest and largest amounts of the contract, such as EUR 1.00-5000.00, USD 2.00-.',
  },
  {
    name: FISCAL,
    isSecret: false,
    isRequired: false,
    choices: Object.keys(FISCAL_DRIVERS),
    help: 'The cash register that prints the receipts. Empty: none.',
  },
]

function describe(schema: z.ZodObject, secrets: readonly string[]): DescribedSetting[] {
  return Object.entries(schema.shape).map(([name, member]) => {
    const type = member as z.ZodType
    return {
      name,
      help: type.description ?? '',
      isSecret: secrets.includes(name),
      isRequired: !type.safeParse(undefined).success,
      choices: choicesOf(type),
    }
  })
}

/** Through defaults and optional members, down to an enum. */
function choicesOf(type: z.ZodType): readonly string[] | null {
  if (type instanceof z.ZodEnum) return type.options.map(String)
  if (type instanceof z.ZodOptional || type instanceof z.ZodDefault)
    return choicesOf(type.unwrap() as z.ZodType)
  return null
}
