/**
 * Deliberate faults of the money code. `mutate.ts` puts each into a copy of the service and lets random histories look for it. The
 * first five were chosen before the model of these histories ran for the first time.
 */
import { edit, type Mutation } from './mutation.ts'
import { MENDED } from './mutations-mended.ts'

/** Deliberate faults of the charges of saved methods. */
const OF_CHARGES: Mutation[] = [
  {
    name: 'own-4',
    what: "a charge of a saved method is sent again after its provider has forgotten the request's key",
    edits: [
      edit(
        'payments/subscriptions/sending.ts',
        'return ctx.clock.now().getTime() - sentAt.getTime() < knownForMs',
        'return ctx.clock.now().getTime() >= sentAt.getTime() && knownForMs > 0',
      ),
    ],
  },
  {
    name: 'M26',
    what: 'a charge of a saved PayPal account whose answer was lost is not sent again',
    edits: [edit('providers/paypal/driver.ts', '  charge: ORDER_KEY_MS,\n', '')],
  },
  {
    name: 'M33',
    what: 'a renewal that could not be sent fails',
    edits: [
      edit(
        'payments/subscriptions/work.ts',
        'if (isUnsent(result)) return sendLater(ctx, subscription, sent, result)',
        'if (isUnsent(result) && !result.message) return sendLater(ctx, subscription, sent, result)',
      ),
      edit(
        'payments/subscriptions/work.ts',
        'return followUp(ctx, account, subscription, sent.charge, { result })',
        'return followUp(ctx, account, subscription, sent.charge, isUnsent(result) ? {} : { result })',
      ),
      edit(
        'payments/subscriptions/work.ts',
        'const isLost = !isKeyKnown(ctx, account, charge) && isLongSinceSent(ctx, charge)',
        'const isLost = isLongSinceSent(ctx, charge)',
      ),
      edit(
        'payments/subscriptions/work.ts',
        "if (payment.status === 'expired' && answer.kind",
        "if (payment.status === 'disputed' && answer.kind",
      ),
    ],
  },
  {
    name: '77236',
    what: 'a charge that never reached its provider, or that it answered with a 500, counts as declined',
    edits: [
      edit(
        'payments/subscriptions/work.ts',
        "if (payment.status === 'expired' && answer.kind",
        "if (payment.status === 'disputed' && answer.kind",
      ),
    ],
  },
  {
    name: '77236-period',
    what: 'a charge that got lost is not made again for its own period',
    edits: [
      edit(
        'payments/subscriptions/charge.ts',
        'if (countLost(charges) > 0) return { period',
        'if (countLost(charges) > 9) return { period',
      ),
    ],
  },
]

/** Chosen before the model ran. */
const CHOSEN_FIRST: Mutation[] = [
  {
    name: 'own-1',
    what: 'what is disputed counts as left to refund',
    edits: [
      edit('payments/status.ts', "if (status !== 'disputed') return 0", 'if (status.length > 0) return 0'),
    ],
  },
  {
    name: 'own-2',
    what: 'a void prints no receipt',
    edits: [
      edit(
        'payments/receipt.ts',
        "return status === 'reversed' ? sale.amountMinor : Math.min(refundedMinor, sale.amountMinor)",
        "return status === 'reversed' ? refundedMinor : Math.min(refundedMinor, sale.amountMinor)",
      ),
    ],
  },
  {
    name: 'own-3',
    what: 'nobody asks about a hold, so nobody notices that it lapsed',
    edits: [edit('payments/question-schedule.ts', '  authorized: { days: always(daily(35)) },\n', '')],
  },
  {
    name: 'own-5',
    what: 'held second money is refunded instead of released',
    edits: [
      edit(
        'payments/attempts/duplicate-payment.ts',
        "return capturedMinor > 0 ? 'refund' : 'void'",
        "return capturedMinor >= 0 ? 'refund' : 'void'",
      ),
    ],
  },
]

/** Those that the first model of random histories missed. */
const MISSED: Mutation[] = [
  {
    name: 'missed-1',
    what: 'events tell the old refunded sum',
    edits: [
      edit(
        'payments/transition.ts',
        'await announce(ctx, tx, payment)',
        'await announce(ctx, tx, { ...payment, refundedMinor: before.refundedMinor })',
      ),
    ],
  },
  {
    name: 'missed-2',
    what: "late money of an ended payment's earlier order is sent back instead of paying it",
    edits: [
      edit(
        'payments/attempts/answer.ts',
        'if (isOpen(payment.status) || OVER_UNPAID.includes(payment.status))',
        'if (isOpen(payment.status) && !OVER_UNPAID.includes(payment.status))',
      ),
    ],
  },
  {
    name: 'missed-3a',
    what: 'what is left to ask for ignores refunds done and pending',
    edits: [
      edit(
        'payments/operations/money.ts',
        'capturedMinor - refundedMinor - refundReservedMinor - disputedMinor',
        'capturedMinor - 0 * (refundedMinor + refundReservedMinor) - disputedMinor',
      ),
    ],
  },
  {
    name: 'missed-3b',
    what: "what is left by the provider's amounts ignores refunds done and pending",
    edits: [
      edit(
        'payments/operation.ts',
        'capturedMinor - refundedMinor - refundPendingMinor - disputeLostMinor',
        'capturedMinor - 0 * (refundedMinor + refundPendingMinor) - disputeLostMinor',
      ),
    ],
  },
]

export const MUTATIONS: Mutation[] = [...CHOSEN_FIRST, ...MISSED, ...MENDED, ...OF_CHARGES]
