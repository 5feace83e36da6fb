/** Deliberate faults of the charges of saved methods. */
import { edit, type Mutation } from './mutation.ts'

export const OF_CHARGES: Mutation[] = [
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
