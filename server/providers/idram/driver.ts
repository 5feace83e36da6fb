/**
 * The driver of Idram, the Armenian wallet. It has no API: the buyer's browser posts a form, Idram asks whether the bill may be paid, and
 * confirms the payment with a checksum.
 * Rule: the confirmation is the only proof. Nobody can be asked, and nothing is refunded here.
 */
import type { CheckoutRequest, Driver } from '../driver.ts'
import { amountText, CURRENCY } from './amount.ts'
import { NOT_KEPT, receive, reply } from './callbacks.ts'
import { check } from './check.ts'
import { IdramSettings, listOf, modeOf } from './settings.ts'

const LANGUAGES = { hy: 'AM', ru: 'RU', en: 'EN' } as const
/** Idram names no limit. People read it in a list of payments. */
const DESCRIPTION_CHARS_MAX = 120

export const idramDriver: Driver<IdramSettings> = {
  label: 'Idram',
  mark: 'wallet',
  currencies: [CURRENCY],
  liveCapable: true,
  // The buyer's browser opens the bill.
  supportsAutoinit: false,
  settings: IdramSettings,
  identity: ['REC_ACCOUNT'],
  secrets: ['SECRET_KEY'],
  modeOf,
  fixedReturn: true,
  callbacksSetUp: () => true,
  composeCheckout({ settings }, attempt) {
    const { REC_ACCOUNT, LANGUAGE, EMAIL, ADDRESS: action } = settings
    const fields = {
      EDP_LANGUAGE: attempt.language ? LANGUAGES[attempt.language] : LANGUAGE,
      EDP_REC_ACCOUNT: REC_ACCOUNT,
      EDP_DESCRIPTION: describe(attempt),
      EDP_AMOUNT: amountText(attempt.amountMinor),
      EDP_BILL_NO: attempt.reference,
      ...(EMAIL !== undefined && { EDP_EMAIL: EMAIL }),
    }
    return { kind: 'form', action, fields }
  },
  inbound: {
    receive: async ({ settings }, raw) => receive(settings, raw),
    reply,
    prechecks: true,
    unheard: NOT_KEPT,
    callers: ({ CALLERS }) => listOf(CALLERS),
  },
  check,
}

/** The shop's own number first, by which people find the payment at Idram. In one line, because browsers post line breaks otherwise. */
function describe({ orderReference, description }: CheckoutRequest): string {
  const line = `${orderReference} ${description ?? ''}`.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  return [...line].slice(0, DESCRIPTION_CHARS_MAX).join('').trim()
}
