/** What PayPal's refusals of a payment mean for the buyer and for a saved wallet. */
import type { Decline, Snapshot } from '../driver.ts'

type Meaning = { category: NonNullable<Snapshot['declineCategory']>; decline: Decline; detail: string }

const ANOTHER: Meaning = {
  category: 'ask_another_card',
  decline: 'soft',
  detail: 'PayPal could not charge the card or bank account that the buyer chose',
}
const ACCOUNT: Meaning = {
  category: 'ask_bank',
  decline: 'hard',
  detail: "the buyer's PayPal account is closed or restricted",
}
const GONE: Meaning = {
  category: 'ask_another_card',
  decline: 'hard',
  detail: 'the buyer has removed the saved PayPal account',
}
const RISK: Meaning = {
  category: 'fraud',
  decline: 'soft',
  detail: 'PayPal or the shop’s filters blocked the payment',
}
/**
 * By the issue of a refusal. An issue that is not listed is a refusal of the request itself, or of the shop's account. It says nothing
 * about the buyer.
 */
const ISSUES: Record<string, Meaning> = {
  INSTRUMENT_DECLINED: ANOTHER,
  PAYER_ACTION_REQUIRED: { ...ANOTHER, detail: 'the buyer has to confirm the payment again at PayPal' },
  REDIRECT_PAYER_FOR_ALTERNATE_FUNDING: ANOTHER,
  PAYER_CANNOT_PAY: ANOTHER,
  TRANSACTION_REFUSED: ANOTHER,
  TRANSACTION_LIMIT_EXCEEDED: { ...ANOTHER, detail: "the amount is above the buyer's limit at PayPal" },
  REFERENCED_CARD_EXPIRED: { ...ANOTHER, decline: 'hard', detail: 'the card has expired' },
  MAX_NUMBER_OF_PAYMENT_ATTEMPTS_EXCEEDED: {
    ...ANOTHER,
    category: 'try_later',
    detail: 'PayPal allows no further attempt for this order',
  },
  PAYER_ACCOUNT_LOCKED_OR_CLOSED: ACCOUNT,
  PAYER_ACCOUNT_RESTRICTED: ACCOUNT,
  PAYMENT_SOURCE_CANNOT_BE_USED: ANOTHER,
  PAYMENT_SOURCE_DECLINED_BY_PROCESSOR: ANOTHER,
  TOKEN_ID_NOT_FOUND: GONE,
  TOKEN_EXPIRED: GONE,
  AGREEMENT_ALREADY_CANCELLED: GONE,
  BILLING_AGREEMENT_NOT_FOUND: GONE,
  TRANSACTION_BLOCKED_BY_PAYEE: RISK,
  PAYEE_BLOCKED_TRANSACTION: RISK,
  COMPLIANCE_VIOLATION: RISK,
  DUPLICATE_INVOICE_ID: {
    category: 'technical',
    decline: 'soft',
    detail: 'PayPal says that an order with this number was paid already: look it up at PayPal',
  },
}

/** For a card behind PayPal: by the processor's response code. */
const PROCESSOR: Record<string, Meaning> = {
  '5120': { ...ANOTHER, detail: 'there is not enough money on the card' },
  '5400': { ...ANOTHER, decline: 'hard', detail: 'the card has expired' },
  '9500': { ...RISK, decline: 'hard', detail: 'the bank suspects fraud' },
  '9520': { ...RISK, decline: 'hard', detail: 'the card was reported lost or stolen' },
  '0500': { ...ANOTHER, category: 'ask_bank', detail: "the buyer's bank refused" },
  '9100': { ...ANOTHER, category: 'try_later', detail: 'the bank asks to try again' },
}

/** Returns null for an issue that is not about the buyer's means of payment. */
export function declineOfIssue(issue: string): Meaning | null {
  return Object.hasOwn(ISSUES, issue) ? (ISSUES[issue] ?? null) : null
}

/** For a payment that PayPal lists as declined. */
export function declineOfProcessor(code: string | undefined): Meaning {
  return (code !== undefined && PROCESSOR[code]) || ANOTHER
}

/** Returns the first of these issues that is about the buyer's means of payment. */
export function findDecline(issues: readonly string[]): { issue: string; meaning: Meaning } | null {
  for (const issue of issues) {
    const meaning = declineOfIssue(issue)
    if (meaning) return { issue, meaning }
  }
  return null
}
