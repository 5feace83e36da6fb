/**
 * What buyers pay with, modelled on Stripe's test cards and test bank accounts: what each does on the page, and when it is
 * charged later.
 */

type Refusal = { code: string; declineCode: string | null }
type Outcome = 'succeeds' | 'authenticates' | Refusal

/** How Stripe works on a payment that its buyer has confirmed: for how long, and how it ends. */
export type Work = { ms: number; ends: 'succeeds' | Refusal }

export type TestCard = {
  label: string
  brand: string
  last4: string
  onPage: Outcome
  /** The result of a charge without the buyer. Absent: the same as on the page, without another authentication. */
  later?: Outcome
  /** Stripe works on it: on a bank debit, or on a charge that the bank announces to the cardholder first, as in India. */
  work?: Work
  /** Stripe waits for the buyer elsewhere first: for cash at a voucher's till, or for small deposits to be confirmed. */
  waitsElsewhere?: true
  /** A bank account, and not a card. */
  isBank?: true
}

const declined = (declineCode: string): Outcome => ({ code: 'card_declined', declineCode })
const visa = (label: string, last4: string, onPage: Outcome, later?: Outcome): TestCard => ({
  label,
  brand: 'visa',
  last4,
  onPage,
  ...(later && { later }),
})

const DAY_MS = 86_400_000
/** A bank debit in the USA takes up to four business days. */
const debit = (label: string, last4: string, ends: Work['ends']): TestCard => ({
  ...visa(label, last4, 'succeeds'),
  isBank: true,
  work: { ms: 4 * DAY_MS, ends },
})
/** In India a bank announces a renewal to the cardholder. The charge is `processing` for 26 hours. */
const ANNOUNCED_MS = 26 * 3_600_000

export const CARDS = {
  visa: visa('Visa', '4242', 'succeeds'),
  mastercard: { ...visa('Mastercard', '4444', 'succeeds'), brand: 'mastercard' },
  three_d_secure: visa('Visa with 3D Secure', '3220', 'authenticates'),
  declined: visa('Declined', '0002', declined('generic_decline')),
  insufficient_funds: visa('Declined: insufficient funds', '9995', declined('insufficient_funds')),
  lost_card: visa('Declined: lost card', '9987', declined('lost_card')),
  stolen_card: visa('Declined: stolen card', '9979', declined('stolen_card')),
  expired_card: visa('Declined: expired card', '0069', { code: 'expired_card', declineCode: null }),
  incorrect_cvc: visa('Declined: wrong security code', '0127', { code: 'incorrect_cvc', declineCode: null }),
  processing_error: visa('Declined: processing error', '0119', {
    code: 'processing_error',
    declineCode: null,
  }),
  fraudulent: visa('Declined: fraud', '0019', declined('fraudulent')),
  saved_then_declines: visa('Saved, then declined', '0341', 'succeeds', declined('generic_decline')),
  saved_with_mandate: visa('Saved with a mandate', '0008', 'succeeds'),
  saved_then_lost: visa('Saved, then lost', '9987', 'succeeds', declined('lost_card')),
  bank_debit: debit('Bank debit', '6789', 'succeeds'),
  bank_debit_fails: debit('Bank debit that fails', '1113', { code: 'insufficient_funds', declineCode: null }),
  voucher: { ...debit('Voucher', '0000', 'succeeds'), waitsElsewhere: true },
  voucher_expires: {
    ...debit('Voucher that nobody pays', '0001', {
      code: 'payment_intent_payment_attempt_expired',
      declineCode: null,
    }),
    waitsElsewhere: true,
  },
  saved_then_announced: {
    ...visa('Saved, then announced', '0123', 'succeeds'),
    work: { ms: ANNOUNCED_MS, ends: 'succeeds' },
  },
  saved_then_announced_declines: {
    ...visa('Saved, then announced and declined', '0263', 'succeeds'),
    work: { ms: ANNOUNCED_MS, ends: declined('insufficient_funds') as Refusal },
  },
  saved_then_asks: visa('Saved, then asks the buyer', '3184', 'succeeds', {
    code: 'authentication_required',
    declineCode: 'authentication_required',
  }),
} as const satisfies Record<string, TestCard>
export type CardName = keyof typeof CARDS

export function isCard(name: string): name is CardName {
  return Object.hasOwn(CARDS, name)
}

export function cardOf(name: CardName): TestCard {
  return CARDS[name]
}

/** The members of a bank account in a charge. */
export function chargedAccount({ last4 }: TestCard) {
  return {
    account_holder_type: 'individual',
    account_type: 'checking',
    bank_name: 'STRIPE TEST BANK',
    fingerprint: 'simulated',
    last4,
    payment_reference: null,
    routing_number: '110000000',
  } as const
}
