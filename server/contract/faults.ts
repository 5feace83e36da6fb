/**
 * What can go wrong at the simulated bank and its cash register, if a payment's `metadata.sandboxFault` names it.
 * `server/sandbox/faults.ts` has what each fault does.
 */

/** `wrong`: what goes wrong. `seen`: what the merchant sees of it. Both are Markdown, for the guide on testing. */
export const SANDBOX_FAULTS = {
  answer_lost: {
    wrong: 'The bank acts, but its answer is lost.',
    seen: 'The payment or refund still ends correctly. The service asks again and never acts twice.',
  },
  slow: { wrong: 'The bank takes 8 seconds to answer.', seen: 'The same, later.' },
  http500_after: { wrong: 'The bank acts, then answers with HTTP 500.', seen: 'The same as `answer_lost`.' },
  malformed: { wrong: "Half of the bank's answer is missing.", seen: 'The same as `answer_lost`.' },
  wrong_amount: {
    wrong: 'The bank reports one minor unit more than you asked for.',
    seen: '`status_unknown`. A person has to decide.',
  },
  wrong_currency: {
    wrong: 'The bank reports another currency.',
    seen: '`status_unknown`. A person has to decide.',
  },
  underpaid: {
    wrong: 'The bank takes or holds only half of the money.',
    seen: '`status_unknown`, with what was taken as `capturedMinor`. A person has to decide.',
  },
  late_paid: {
    wrong: "The money arrives 30 seconds after the bank declined, or after the payment's time ran out.",
    seen: '`pending_payment`, then `paid`.',
  },
  expires_early: {
    wrong: 'The bank closes its page 60 seconds after the buyer opened it. A buyer who is faster can pay.',
    seen: 'The bank takes no money.',
  },
  duplicate_callback: {
    wrong: 'The bank calls back three times for each change.',
    seen: 'Each status once.',
  },
  reversed_callbacks: {
    wrong: "The bank's first callback comes last.",
    seen: 'The right status, never an older one.',
  },
  refund_fails_later: {
    wrong: 'The bank accepts a refund, and rejects it 20 seconds later.',
    seen: 'The refund becomes `failed`, and its amount can be refunded again.',
  },
  refund_fails_after_success: {
    wrong: 'The bank makes a refund, and 20 seconds later it says that the refund failed after all.',
    seen: "`refunded` or `partially_refunded`, then `paid` again. The refund's operation becomes `failed`, and its `statusReason` says what happened. Its amount can be refunded again.",
  },
  dispute_won: {
    wrong: "The buyer's bank disputes the payment 20 seconds after it was taken. You win 60 seconds later.",
    seen: '`paid`, `disputed`, `paid`',
  },
  dispute_lost: { wrong: 'The same, but you lose.', seen: '`paid`, `disputed`, `reversed`' },
  dispute_part_lost: {
    wrong: 'The same, but the dispute is about half of the money, and you lose.',
    seen: '`paid`, `disputed`, `partially_refunded`. During the dispute and after it the other half can be refunded.',
  },
  receipt_fails_once: {
    wrong: "The cash register refuses the sale's receipt once.",
    seen: '`fiscalStatus` is `failed`. A retry prints the receipt.',
  },
} as const satisfies Record<string, { wrong: string; seen: string }>

export type SandboxFault = keyof typeof SANDBOX_FAULTS
export const FAULT_NAMES = Object.keys(SANDBOX_FAULTS) as [SandboxFault, ...SandboxFault[]]
