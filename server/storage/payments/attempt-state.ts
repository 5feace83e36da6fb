/** The states of an attempt. `payments/attempt.ts` says what each means; the database repeats the words. */
export const ATTEMPT_STATES = [
  'planned',
  'opening',
  'open',
  'paid',
  'declined',
  'cancelled',
  'expired',
  'withdrawn',
  'refused',
] as const
export type AttemptState = (typeof ATTEMPT_STATES)[number]
