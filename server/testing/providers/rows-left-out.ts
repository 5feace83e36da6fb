/** The rows of the conformance suite that a driver of the service does not have, and why. A guide shows the same table. */
import type { Lacking } from './driver-bench.ts'

const BY_FORM = "The buyer's browser posts a form, so Idram refuses nothing to us."
const NO_QUESTIONS = 'Idram cannot be asked about anything.'
const NO_REPORTS = 'Idram tells of no such thing: it confirms a payment, and no more.'
const NOBODY = 'No provider is behind a payment that the operator confirms.'

export const LEFT_OUT = {
  sandbox: {
    side_calls: 'The bank says everything about an order in one answer.',
    refused_account: 'This bank knows no account that is not activated.',
    refused_amount: 'This bank takes every amount that a payment can have.',
    refused_rights: 'This bank allows each customer everything.',
    proof: 'The bank can be asked, so no callback counts as a proof.',
    lost_address: 'The address of an order is composed without asking the bank.',
    several_results: 'Each letter of the bank is about one order.',
    under_way: 'The late money of this bank follows a decline, so nothing is under way.',
    waits_elsewhere: 'Every buyer of this bank pays on its page.',
    language: 'The page of this bank follows the browser.',
  },
  stripe: {
    side_calls: 'Everything that is asked about is expanded in one answer.',
    proof: 'Stripe can be asked, so no callback counts as a proof.',
    several_results: 'Each event of Stripe is about one object.',
  },
  paypal: {
    not_found: 'PayPal can be asked only by its own id.',
    saved_card: 'A saved PayPal account has no card.',
    expires_early: 'PayPal does not report that an order expired. It just no longer knows the order.',
    proof: 'PayPal can be asked, so no callback counts as a proof.',
    several_results: 'Each event of PayPal is about one object.',
    refund_fails_after_success: 'A refund that is COMPLETED stays COMPLETED.',
  },
  rbs: {
    side_calls: 'The gateway says everything about an order in one answer.',
    under_way: 'The gateway does not tell whether a buyer has finished.',
    waits_elsewhere: 'Every buyer pays on the page of the gateway.',
    refused_account: 'A blocked account gets the code of a wrong password.',
    refused_rights:
      'A missing right gets the code of a wrong value and of a decline, so only that request is refused.',
    refused_amount: 'An amount beyond the limits gets the code of every other wrong value.',
    proof: 'The gateway can be asked, so no callback counts as a proof.',
    several_results: 'Each callback is about one order.',
  },
  idram: {
    look_up: NO_QUESTIONS,
    side_calls: NO_QUESTIONS,
    not_found: NO_QUESTIONS,
    signed_callbacks: 'A pre-check is not signed. The rows of proofs change the checksum.',
    refused_account: BY_FORM,
    refused_amount: BY_FORM,
    refused_rights: BY_FORM,
    lost_address: 'The form is composed without asking Idram.',
    several_results: 'Each message of Idram is about one bill.',
    wrong_amount: 'Idram confirms the amount that it has taken, so another amount is another payment.',
    wrong_currency: 'Idram has only drams.',
    underpaid: 'The pre-check refuses another amount.',
    late_paid: NO_REPORTS,
    expires_early: NO_REPORTS,
    disputed: NO_REPORTS,
    under_way: NO_REPORTS,
    waits_elsewhere: NO_REPORTS,
    duplicate_callback: 'Idram repeats nothing by itself. The rows of proofs repeat a confirmation.',
    reversed_callbacks: 'A pre-check and a confirmation are not the same message in another order.',
  },
  ameria: {
    side_calls: 'Everything that a payment needs is in one answer.',
    under_way: 'The bank does not tell whether a buyer has finished.',
    waits_elsewhere: 'Every buyer pays on the page of the bank.',
    refused_account: 'The bank has no code for an account that is not activated.',
    refused_rights:
      'Only refunds, cancellations and saved cards have a code of their own. The driver’s own tests have them.',
    proof: 'The bank can be asked, so the buyer’s return proves nothing.',
    several_results: 'The bank sends no callbacks.',
    callbacks: 'The bank sends no callbacks.',
    disputed: 'The bank shows no chargebacks.',
    language: 'The language stands in the address of the page, which the buyer opens.',
  },
  manual: {
    look_up: NOBODY,
    callbacks: NOBODY,
    side_calls: NOBODY,
    under_way: NOBODY,
    waits_elsewhere: NOBODY,
    proof: NOBODY,
    lost_address: NOBODY,
    refused_account: NOBODY,
    refused_amount: NOBODY,
    refused_rights: NOBODY,
    several_results: NOBODY,
    language: NOBODY,
  },
} satisfies Record<string, Partial<Record<Lacking, string>>>
