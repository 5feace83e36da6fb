/** The settings of an account at Ameriabank's vPOS: its login, the numbers that the bank has allotted, and what the bank has allowed. */
import { z } from 'zod'
import { SESSION_SECONDS_MAX } from '../arca/order.ts'
import { RENEWALS_ENABLED, workSettings } from '../driver/settings.ts'

/** Every request carries the password, so plain http is allowed only to this machine. */
const ADDRESS = /^(https:\/\/[^/?#\s@]+|http:\/\/(127\.0\.0\.1|localhost|\[::1\])(:\d+)?)\/([^?#\s]*\/)?$/
/** The bank keeps order numbers as 32-bit integers. */
const NUMBER_MAX = 2_147_483_647

const TEXT = z
  .string()
  .regex(/^[\x21-\x7e]{1,64}$/, { error: 'must have 1 to 64 characters without spaces' })
  .meta({ takes: 'text from the bank' })
const NUMBER = z.coerce
  .number()
  .int()
  .min(1)
  .max(NUMBER_MAX)
  .meta({ takes: `a whole number from 1 to ${NUMBER_MAX}` })

/** In dollars and euros. The default is meant for drams. */
const FOREIGN_MAX = 500

export const AmeriaSettings = z
  .object({
    ADDRESS: z
      .string()
      .regex(ADDRESS, {
        error:
          'must be an https address that ends with a slash. Plain http is accepted only for this machine',
      })
      .meta({ takes: 'a web address that ends with a slash' })
      .describe(
        'The address of vPOS. Tests: `https://servicestest.ameriabank.am/VPOS/`. Real money: `https://services.ameriabank.am/VPOS/`.',
      ),
    CLIENT_ID: TEXT.describe('The ClientID that the bank has given you.'),
    USERNAME: TEXT.describe('The user name that the bank has given you.'),
    PASSWORD: TEXT.describe('The password of that user.'),
    FIRST_NUMBER: NUMBER.describe(
      'The first order number that this account may use. For tests the bank allots a range, such as 1000 numbers. For real money take one above every number that your shop has used at the bank before, for example with a plug-in.',
    ),
    LAST_NUMBER: NUMBER.default(NUMBER_MAX).describe(
      'The last order number that this account may use. When no number is left, the account takes no new payments: ask the bank for another range, and set both numbers.',
    ),
    SAVED_METHODS: z
      .enum(['enabled', 'disabled'])
      .default('disabled')
      .describe(
        'Whether buyers can save their cards, and subscriptions charge them. Enable it only after the bank has allowed bindings.',
      ),
    SAVING_AMOUNT: z.coerce
      .number()
      .int()
      .min(100)
      .max(1_000_000)
      .default(1_000)
      .meta({ takes: 'a whole number from 100 to 1000000' })
      .describe(
        'What saving a card takes, in minor units: 1000 are 10 drams. For dollars or euros set this too, to 500 at most: 100 are one dollar. The bank saves a card only by a real payment. Kassa gives the money back at once.',
      ),
    SAVING_CURRENCY: z
      .enum(['AMD', 'USD', 'EUR'])
      .default('AMD')
      .describe('The currency of what saving a card takes.'),
    SESSION_SECONDS: z.coerce
      .number()
      .int()
      .min(60)
      .max(SESSION_SECONDS_MAX)
      .default(SESSION_SECONDS_MAX)
      .meta({ takes: 'a whole number from 60 to 1200' })
      .describe(
        'How long a buyer has on the page of the bank, in seconds. 1200 is the longest time that the bank knows. A buyer who needs longer starts again on our page.',
      ),
    ...workSettings(RENEWALS_ENABLED),
  })
  .superRefine((settings, context) => {
    const { FIRST_NUMBER: first, LAST_NUMBER: last, STEPS, SAVED_METHODS } = settings
    const refuse = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (first > last)
      refuse('LAST_NUMBER', 'must not be below FIRST_NUMBER: the account would have no number')
    if (settings.SAVING_CURRENCY !== 'AMD' && settings.SAVING_AMOUNT > FOREIGN_MAX)
      refuse(
        'SAVING_AMOUNT',
        `must be from 100 to ${FOREIGN_MAX} where SAVING_CURRENCY is not AMD: 100 is one dollar or one euro`,
      )
    if (STEPS === 'two' && SAVED_METHODS === 'enabled')
      refuse(
        'SAVED_METHODS',
        'must be disabled with STEPS=two: the bank then only holds the money of a renewal. Ask the bank for another account that takes the money at once',
      )
  })
export type AmeriaSettings = z.infer<typeof AmeriaSettings>

/** Which hosts move test money, and which real money. */
const HOSTS: Readonly<Record<string, 'test' | 'live'>> = {
  'servicestest.ameriabank.am': 'test',
  'services.ameriabank.am': 'live',
  localhost: 'test',
  '127.0.0.1': 'test',
  '[::1]': 'test',
}

export function modeOf({ ADDRESS: address }: AmeriaSettings): 'test' | 'live' | 'untellable' {
  return HOSTS[new URL(address).hostname] ?? 'untellable'
}

export function numbersOf({ FIRST_NUMBER: first, LAST_NUMBER: last }: AmeriaSettings) {
  return { first, last }
}
