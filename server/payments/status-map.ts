/** The status map, with which a shop platform's connector keeps its orders in step with payments. */
import type { StatusSync } from '../contract/capability.ts'
import { PROOF_OF_PAYMENT } from '../contract/fields.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import { MIN_QUESTION_INTERVAL_MS } from './question-schedule.ts'
import { isOpen } from './status.ts'
import { PLATFORM_STATUSES } from './status-map-platforms.ts'

/** Raise this when a list or a platform's status changes its meaning. */
const VERSION = 4
const POLL_MAX_SECONDS = 900
/** These statuses are not open and not final: an authorized payment waits for its capture, a disputed one for the decision. */
const UNDECIDED: readonly PaymentStatus[] = ['authorized', 'disputed']

export function presentStatusMap(): StatusSync {
  return {
    version: VERSION,
    normalizedStatuses: [...PAYMENT_STATUSES],
    terminalStatuses: PAYMENT_STATUSES.filter((status) => !isOpen(status) && !UNDECIDED.includes(status)),
    fulfilmentStatuses: ['paid'],
    accountingStatuses: ['refunded', 'partially_refunded', 'reversed', 'disputed'],
    proofOfPayment: PROOF_OF_PAYMENT,
    // A look-up does not ask the provider more often than this, so faster polling shows nothing new.
    poll: {
      minSeconds: MIN_QUESTION_INTERVAL_MS / 1000,
      backoff: 'exponential',
      maxSeconds: POLL_MAX_SECONDS,
    },
    platforms: PLATFORM_STATUSES,
  }
}
