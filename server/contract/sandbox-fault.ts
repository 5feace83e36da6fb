/** What can go wrong at the simulated bank and its cash register, if a payment's `metadata.sandboxFault` names it. */
export const SANDBOX_FAULTS = [
  'answer_lost',
  'slow',
  'http500_after',
  'malformed',
  'wrong_amount',
  'wrong_currency',
  'underpaid',
  'late_paid',
  'expires_early',
  'duplicate_callback',
  'reversed_callbacks',
  'refund_fails_later',
  'refund_fails_after_success',
  'dispute_won',
  'dispute_lost',
  // Of the cash register. The bank itself does nothing with it.
  'receipt_fails_once',
] as const
export type SandboxFault = (typeof SANDBOX_FAULTS)[number]
