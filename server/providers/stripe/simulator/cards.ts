/** The buyers' cards, modelled on Stripe's test cards: what each does on the page, and when it is charged later. */

type Outcome = 'succeeds' | 'authenticates' | { code: string; declineCode: string | null }

export type TestCard = {
  label: string
  brand: string
  last4: string
  onPage: Outcome
  /** The result of a charge without the buyer. Absent: the same as on the page, without another authentication. */
  later?: Outcome
}

const declined = (declineCode: string): Outcome => ({ code: 'card_declined', declineCode })
const visa = (label: string, last4: string, onPage: Outcome, later?: Outcome): TestCard => ({
  label,
  brand: 'visa',
  last4,
  onPage,
  ...(later && { later }),
})

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
