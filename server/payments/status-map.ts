/** What a shop platform's connector needs in order to keep its orders in step with payments. */
import type { StatusSync } from '../contract/capability.ts'
import { PROOF_OF_PAYMENT } from '../contract/fields.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../contract/payment.ts'
import { ASKED_LATELY_MS } from './question-schedule.ts'
import { isOpen } from './status.ts'
import { PLATFORM_STATUSES } from './status-map-platforms.ts'

/** Rises when a list or a word changes its meaning. */
const VERSION = 1
const POLL_MAX_SECONDS = 900
/** Not open, and still without an outcome: a hold that is to be captured, a dispute that is to be settled. */
const UNDECIDED: readonly PaymentStatus[] = ['authorized', 'disputed']

export function presentStatusMap(): StatusSync {
  return {
    version: VERSION,
    normalizedStatuses: [...PAYMENT_STATUSES],
    terminalStatuses: PAYMENT_STATUSES.filter((status) => !isOpen(status) && !UNDECIDED.includes(status)),
    fulfilmentStatuses: ['paid'],
    accountingStatuses: ['refunded', 'partially_refunded', 'reversed', 'disputed'],
    proofOfPayment: PROOF_OF_PAYMENT,
    // Asking more often than the provider is asked shows nothing new.
    poll: { minSeconds: ASKED_LATELY_MS / 1000, backoff: 'exponential', maxSeconds: POLL_MAX_SECONDS },
    platforms: PLATFORM_STATUSES,
  }
}
