/** How long a provider may take to answer, by kind of call. */

/** `mostMs`: the shortest claim that covers such a call is twice as long. */
type Limit = { usualMs: number; mostMs: number }

/**
 * `question`: each request of a look-up. `opening`: of an order, or of a page that saves a card. `finalize`, `withdraw`: these members.
 * `writing`: a refund, a capture, a void, a charge, and the end of a saving.
 */
export const CALL_TIMEOUTS = {
  question: { usualMs: 5_000, mostMs: 15_000 },
  opening: { usualMs: 20_000, mostMs: 30_000 },
  finalize: { usualMs: 15_000, mostMs: 30_000 },
  withdraw: { usualMs: 10_000, mostMs: 30_000 },
  writing: { usualMs: 20_000, mostMs: 30_000 },
} as const satisfies Record<string, Limit>

export type CallKind = keyof typeof CALL_TIMEOUTS
