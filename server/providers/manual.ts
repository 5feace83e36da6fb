/** The manual driver, for payments without a provider. The operator sees the money arrive and confirms it by hand. */
import { z } from 'zod'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { isOneLine, ONE_LINE } from '../contract/one-line.ts'
import type { Driver, Transfer } from './driver.ts'

/** The recipient's name in the QR code of a transfer has no room for more (EPC069-12). */
const RECIPIENT_MAX_CHARS = 70
const KEPT_DAYS_MAX = 90

const days = (least: number, most: number, usual: string) =>
  z
    .string()
    .regex(/^\d{1,2}$/, `must be a whole number from ${least} to ${most}`)
    .refine((text) => Number(text) >= least && Number(text) <= most, {
      error: `must be a whole number from ${least} to ${most}`,
    })
    .default(usual)
    .meta({ takes: `a whole number from ${least} to ${most}` })

/** A line break would move the lines of the QR code, so it could name another account. */
const oneLine = (most: number) =>
  z.string().trim().min(1).max(most).refine(isOneLine, { error: ONE_LINE }).optional()

const Settings = z.object({
  RECIPIENT: oneLine(RECIPIENT_MAX_CHARS).describe(
    'Who gets the money, as the bank knows the name. Buyers see it on the page of their payment.',
  ),
  BANK: oneLine(120).describe("The name of the recipient's bank."),
  ACCOUNT: z
    .string()
    .refine((text) => accountNumber(text) !== null, {
      error: 'must be an IBAN with correct check digits, or an account number of 5 to 34 letters and digits',
    })
    .optional()
    .meta({ takes: 'an IBAN or an account number' })
    .describe(
      'The account to which buyers transfer the money. Needs `RECIPIENT`. Another number is another account of Kassa. For payments in EUR to an IBAN the page also shows a QR code that banking apps read.',
    ),
  BIC: z
    .string()
    .transform((text) => text.replaceAll(/\s/g, '').toUpperCase())
    .pipe(z.string().regex(/^[A-Z]{6}[A-Z\d]{2}([A-Z\d]{3})?$/, 'must be a BIC of 8 or 11 characters'))
    .optional()
    .meta({ takes: 'a BIC of 8 or 11 characters' })
    .describe("The code of the recipient's bank (BIC or SWIFT code)."),
  DAYS: days(1, KEPT_DAYS_MAX, '7').describe(
    'For how many days the order is kept. The page names the date. A payment does not end at that date: a transfer may still be on its way, so a person confirms it or gives it up.',
  ),
  REMIND: days(0, KEPT_DAYS_MAX, '2').describe(
    'How many days before that date a buyer whose e-mail address is known is reminded. `0`: never.',
  ),
})

/** Returns the number without blanks and dashes, in capitals. */
function plainNumber(text: string): string {
  return text.replaceAll(/[\s-]/g, '').toUpperCase()
}

/** Returns an account number as banks write it, or null if it is none. */
function accountNumber(text: string): { number: string; isIban: boolean } | null {
  const plain = plainNumber(text)
  if (!/^[A-Z\d]{5,34}$/.test(plain)) return null
  if (!/^[A-Z]{2}\d{2}/.test(plain)) return { number: text.trim().replaceAll(/\s+/g, ' '), isIban: false }
  return hasCheckDigits(plain) ? { number: plain.replaceAll(/.{4}(?=.)/g, '$& '), isIban: true } : null
}

/** ISO 13616: the first four characters go to the end, letters become numbers from 10, and the rest of a division by 97 is 1. */
function hasCheckDigits(iban: string): boolean {
  if (iban.length < 15) return false
  const turned = iban.slice(4) + iban.slice(0, 4)
  const digits = turned.replaceAll(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return BigInt(digits) % 97n === 1n
}

export const manualDriver: Driver<z.infer<typeof Settings>> = {
  label: 'Confirmed by the merchant',
  mark: 'bank',
  currencies: CURRENCY_CODES,
  liveCapable: true,
  supportsAutoinit: false,
  // A bank account needs a recipient.
  settings: Settings.refine(({ ACCOUNT, RECIPIENT }) => !ACCOUNT || RECIPIENT, {
    path: ['RECIPIENT'],
    error: 'must be set, because ACCOUNT is set',
  }),
  identity: ['ACCOUNT'],
  // One number, however it is written. With two accounts one bank reference could confirm two payments.
  plainIdentity: plainNumber,
  composeCheckout() {
    return { kind: 'hosted' }
  },
  transfer({ RECIPIENT, BANK, ACCOUNT, BIC, DAYS, REMIND }): Transfer {
    const number = ACCOUNT === undefined ? null : accountNumber(ACCOUNT)
    const account = number &&
      RECIPIENT && { recipient: RECIPIENT, bank: BANK ?? null, ...number, bic: BIC ?? null }
    return { account: account || null, keptDays: Number(DAYS), remindDays: Number(REMIND) }
  },
}
