/**
 * The values of each act as a proposal stores them, for this version and for those before it.
 * Rule: nothing is done with values that do not fit here. They are as they were when the proposal was made, perhaps by another version.
 */
import { z } from 'zod'
import { GUARDED_ROWS } from '../../acts/guarded.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { BANK_ACCOUNT } from './bank-account.ts'
import type { GuardedName } from './guarded.ts'
import { PUBLIC_NAME } from './public-name.ts'

const text = z.string()
const currency = z.enum(CURRENCY_CODES)
const texts = z.record(text, text)
const seen = text.optional()

/** The acts that have no row in the table of acts yet. */
const STORED: Record<Exclude<GuardedName, keyof typeof GUARDED_ROWS>, z.ZodType<object>> = {
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
}

const SCHEMAS = new Map<string, z.ZodType<object>>([
  ...Object.entries(STORED),
  ...Object.entries(GUARDED_ROWS).map(([what, { input }]) => [what, z.strictObject(input)] as const),
])

/** Reads the values of an earlier version. */
type Earlier = { formerly?(stored: Record<string, unknown>): Record<string, unknown> }

/** Returns the values as this version has them; null if it cannot carry them out. */
export function readStored(what: string, values: Record<string, unknown>): object | null {
  const rows: Partial<Record<string, Earlier>> = GUARDED_ROWS
  const row = rows[what]
  const now = row?.formerly?.(values) ?? values
  return SCHEMAS.get(what)?.safeParse(now).success ? now : null
}
