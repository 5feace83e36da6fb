/** Opens a payment at the bank. */
import { CURRENCIES, descriptionOf } from '../arca/order.ts'
import { decimalOf } from '../driver/decimal.ts'
import type { CheckoutRequest, StartResult } from '../driver.ts'
import type { OrderState } from './order.ts'
import { type AmeriaCall, askAmeria, type Body, CODES, LoginRefusedError } from './request.ts'
import { type AmeriaSettings, modeOf } from './settings.ts'
import { Initialised } from './wire.ts'

const SECOND_MS = 1_000
/** In its test mode the bank takes 10 drams, and nothing else. */
const TEST_AMOUNT = { amountMinor: 1_000, currency: 'AMD' }

export type Ordered = Pick<
  CheckoutRequest,
  | 'reference'
  | 'orderReference'
  | 'paymentReference'
  | 'description'
  | 'amountMinor'
  | 'currency'
  | 'returnUrl'
>

/** The part of a request that opens a payment or charges a saved card. `Opaque` comes back, and cannot be searched for. */
export function orderIn(attempt: Ordered): Body {
  return {
    OrderID: Number(attempt.reference),
    Amount: decimalOf(attempt.amountMinor),
    Currency: CURRENCIES[attempt.currency],
    Description: descriptionOf(attempt),
    BackURL: attempt.returnUrl,
    Opaque: attempt.paymentReference,
  }
}

/**
 * The bank opens one payment for a number. A repetition gets the same payment, and what it says replaces what was said before. So the same
 * attempt always sends the same amount and the same `Opaque`. `holder`: the bank keeps the card under this name.
 * @throws AccountRefusedError if the bank refuses the login
 */
export async function initialise(
  call: AmeriaCall,
  attempt: Ordered & Pick<CheckoutRequest, 'language'>,
  { seconds, holder }: { seconds: number; holder?: string },
): Promise<Exclude<StartResult, { kind: 'hosted' | 'form' }>> {
  const { settings } = call
  const until = new Date(call.now().getTime() + seconds * SECOND_MS)
  const fields = {
    ...orderIn(attempt),
    ...(holder !== undefined && { CardHolderID: holder }),
    Timeout: seconds,
  }
  const { code, body } = await askAmeria(call, 'InitPayment', fields)
  if (code !== CODES.opened) return refusedWith(call, code, attempt)
  const { PaymentID: id } = Initialised.parse(body)
  const state: OrderState = {
    id,
    opaque: attempt.paymentReference,
    steps: settings.STEPS,
    until: until.toISOString(),
    ...(holder !== undefined && { holder }),
  }
  return { kind: 'redirect', url: pageOf(settings, id, attempt.language), state, expiresAt: until }
}

const LANGUAGES: Readonly<Record<string, string>> = { hy: 'am', ru: 'ru', en: 'en' }

/** Without a language the bank shows its own. */
export function pageOf({ ADDRESS: address }: AmeriaSettings, id: string, language: string | null): string {
  const page = new URL(`${address}Payments/Pay`)
  page.searchParams.set('id', id)
  const shown = LANGUAGES[language ?? '']
  if (shown !== undefined) page.searchParams.set('lang', shown)
  return page.href
}

const REFUSED: Readonly<Record<string, string>> = {
  [CODES.currency]: 'the bank does not take this currency with this account (code 03)',
  [CODES.missing]: 'the bank misses a value of the order (code 04)',
  [CODES.wrong]: 'the bank does not accept a value of the order (code 05)',
  [CODES.parameters]: 'the bank does not accept a value of the order (code 510)',
  [CODES.opaque]: 'the bank does not accept the field Opaque (code 30)',
}

function refusedWith(
  { settings }: AmeriaCall,
  code: string,
  { amountMinor, currency }: Ordered,
): Extract<StartResult, { kind: 'refused' | 'unknown' }> {
  const refused = (message: string, refusal: 'request' | 'amount' | 'account' = 'request') =>
    ({ kind: 'refused', message, refusal }) as const
  const known = REFUSED[code]
  if (known !== undefined) return refused(known)
  switch (code) {
    case CODES.login:
      throw new LoginRefusedError()
    case CODES.amount:
      return refused('the bank does not take this amount (code 50)', 'amount')
    // Nobody was ever sent to that payment, and each further number may be used, too.
    case CODES.numberUsed:
    case CODES.duplicate:
      return refused(
        `The bank has a payment with this order number already (code ${code}): set FIRST_NUMBER above every number that was used at the bank before.`,
        'account',
      )
    case CODES.failed: {
      const isTestAmount = amountMinor === TEST_AMOUNT.amountMinor && currency === TEST_AMOUNT.currency
      const isTest = modeOf(settings) !== 'live' && !isTestAmount
      return isTest
        ? refused('in its test mode the bank takes 10 drams, and no other amount (code 560)', 'amount')
        : refused('the bank refuses the order (code 560)')
    }
    default:
      return { kind: 'unknown', message: `the bank answered with code ${code}` }
  }
}
