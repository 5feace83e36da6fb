/**
 * The values of each act as a proposal stores them, for this version and for those before it.
 * Rule: nothing is done with values that do not fit here. They are as they were when the proposal was made, perhaps by another version.
 */
import { z } from 'zod'
import { GUARDED_ROWS } from '../../acts/guarded.ts'
import { USER_ROLES } from '../../audit/people.ts'
import { CURRENCY_CODES, PROVIDER_ROUTES } from '../../contract/fields.ts'
import { BANK_ACCOUNT } from './bank-account.ts'
import type { GuardedName } from './guarded.ts'
import { PUBLIC_NAME } from './public-name.ts'

const text = z.string()
const minor = z.number().int()
const currency = z.enum(CURRENCY_CODES)
const limits = z.partialRecord(currency, minor).nullable().optional()
const texts = z.record(text, text)
const seen = text.optional()

const BOTH_LIMITS = { refundLimits: limits, refundLimitsDay: limits }
const OPENED = { seen, starts: z.strictObject({ link: text, key: text }).optional() }
const RIGHTS = { email: text.optional(), merchantId: text.nullable().optional(), ...BOTH_LIMITS }

/** The acts that have no row in the table of acts yet. */
const STORED: Record<Exclude<GuardedName, keyof typeof GUARDED_ROWS>, z.ZodType<object>> = {
  'account set': z.strictObject({
    wanted: z.strictObject({
      merchantId: text,
      route: z.enum(PROVIDER_ROUTES),
      driver: text,
      currencies: z.array(currency).optional(),
      written: texts,
      keepsOthers: z.boolean().optional(),
    }),
    unchecked: z.boolean(),
    seen,
  }),
  'account rotate': z.strictObject({ accountId: text, written: texts, unchecked: z.boolean(), seen }),
  'account allow': z.strictObject({ accountId: text, merchantId: text, allowed: z.boolean(), seen }),
  [BANK_ACCOUNT]: z.strictObject({
    merchantId: text,
    currency,
    recipient: text,
    bank: text,
    account: text,
    bic: text,
    days: text,
    seen,
  }),
  [PUBLIC_NAME]: z.strictObject({ merchantId: text, name: text, names: texts, seen }),
  'approval limit': z.strictObject({ currency, limitMinor: minor.nullable(), seen }),
  'user add': z.strictObject({
    name: text,
    role: z.enum(USER_ROLES),
    isKeyless: z.boolean().optional(),
    ...RIGHTS,
    ...OPENED,
  }),
  'user set': z.strictObject({
    user: text,
    role: z.enum(USER_ROLES).optional(),
    isNewKey: z.boolean().optional(),
    ends: z.boolean().optional(),
    ...RIGHTS,
    ...OPENED,
  }),
  'user reset': z.strictObject({ user: text, ...OPENED }),
  'user remove': z.strictObject({ user: text, ...OPENED }),
}

const SCHEMAS = new Map<string, z.ZodType<object>>([
  ...Object.entries(STORED),
  ...Object.entries(GUARDED_ROWS).map(([what, { input }]) => [what, z.strictObject(input)] as const),
])

/** Returns the values as they are; null if this version cannot carry them out. */
export function readStored(what: string, values: object): object | null {
  return SCHEMAS.get(what)?.safeParse(values).success ? values : null
}
