/** Deliberate faults that stood in the service once. */
import { edit, type Mutation } from './mutation.ts'

/** Faults that were found in the service and mended, put back as far as today's code allows. */
export const MENDED: Mutation[] = [
  {
    name: 'M20',
    what: "a payment goes to the deployment's account while its merchant's own cannot be opened",
    edits: [
      edit(
        'accounts/choice.ts',
        'return { usable, blockers: new Map(blockers) }',
        'return { usable, blockers: new Map(blockers.slice(blockers.length)) }',
      ),
    ],
  },
  {
    name: 'M21a',
    what: 'the page says the whole amount where only a part was captured',
    edits: [
      edit(
        'pages/checkout/payment-view.ts',
        '...(isTaken(payment) && { takenMinor: capturedMinor }),',
        '...(isTaken(payment) && capturedMinor < 0 && { takenMinor: capturedMinor }),',
      ),
    ],
  },
  {
    name: 'M21b',
    what: 'after a void the captured sum stays',
    edits: [
      edit(
        'payments/answer-meaning.ts',
        'if (isVoid) return { ...money, ...NOTHING_LEFT }',
        'if (isVoid) return { ...NOTHING_LEFT, ...money, refundedMinor: 0, disputeLostMinor: 0 }',
      ),
    ],
  },
  {
    name: 'M22a',
    what: 'a lost dispute about a part counts as one about everything (Stripe)',
    edits: [
      edit(
        'providers/stripe/snapshot.ts',
        '...(lost && { disputeLostMinor: lost.amountMinor }),',
        '...(lost && { disputeLostMinor: capturedMinor }),',
      ),
    ],
  },
  {
    name: 'M22b',
    what: 'a lost dispute about a part counts as one about everything (PayPal)',
    edits: [
      edit(
        'providers/paypal/disputes.ts',
        'return returned ? minorOf(returned) : capturedMinor',
        'return returned && minorOf(returned) < 0 ? minorOf(returned) : capturedMinor',
      ),
    ],
  },
  {
    name: 'M23',
    what: 'a payment expires while its provider is still working on it',
    edits: [
      edit(
        'payments/answer-meaning.ts',
        "endOfWait(isUnderWay(snapshot) ? 'under_way' : 'reached', payment, now)",
        "endOfWait('reached', payment, now)",
      ),
    ],
  },
  {
    name: 'M24',
    what: 'a decision does not carry the version that it was made about',
    edits: [
      edit(
        'payments/operation.ts',
        'if (now.version !== version) throw movedMeanwhile(now)',
        'if (now.version < 0 && now.version !== version) throw movedMeanwhile(now)',
      ),
      edit(
        'payments/decisions/payment.ts',
        'const applied = await applyStatus(ctx, now, { ...change, ...(detail && { detail }) }, now)',
        'const applied = await applyStatus(ctx, now, { ...change, ...(detail && { detail }) })',
      ),
    ],
  },
  {
    name: 'M25',
    what: 'the key of another Stripe account is accepted',
    edits: [
      edit(
        'operator/account-identity.ts',
        "return identity === named ? { kind: 'own' } : { kind: 'other', identity, named }",
        "return identity !== '' || named ? { kind: 'own' } : { kind: 'other', identity, named }",
      ),
    ],
  },
  {
    name: 'M27',
    what: 'nobody asks about a payment that was refunded',
    edits: [edit('payments/question-schedule.ts', '  refunded: { days: SETTLED },\n', '')],
  },
  {
    name: 'M28',
    what: 'a creation whose answer was lost ends without an address',
    edits: [
      edit(
        'payments/creation/start.ts',
        "return status === 'pending_payment' && state === 'opening' && !underWaySince",
        "return status === 'pending_payment' && state === 'planned' && !underWaySince",
      ),
    ],
  },
  {
    name: 'M29',
    what: 'one bank reference, typed differently, confirms several payments',
    edits: [
      edit(
        'payments/decisions/payment.ts',
        ".replaceAll(/[\\s\\p{Cf}]/gu, '')\n    .toUpperCase()",
        ".replaceAll(/[\\p{Cf}]/gu, '')",
      ),
    ],
  },
  {
    name: 'M30',
    what: "a refund at PayPal has the order's name",
    edits: [
      edit(
        'providers/paypal/writes.ts',
        'custom_id: refundName(write)',
        'custom_id: refundName(write).slice(0, write.reference.length)',
      ),
    ],
  },
  {
    name: 'M31',
    what: 'a refund that completes during a dispute does not count until the dispute ends',
    edits: [edit('payments/status.ts', "disputed: { to: ['disputed', 'paid',", "disputed: { to: ['paid',")],
  },
  {
    name: 'M32',
    what: 'a lost refund is sent again after a dispute has opened',
    edits: [
      edit(
        'payments/operations/work.ts',
        'if (obstacle) return verify(ctx, work, lostAndNot(obstacle), look)',
        'if (obstacle === lostAndNot.name) return verify(ctx, work, lostAndNot(obstacle), look)',
      ),
    ],
  },
  {
    name: 'M34',
    what: 'a refund fails when the provider was working on it and does not show it once',
    edits: [
      edit(
        'payments/operations/verdict.ts',
        "if (result.kind === 'refused') return { kind: 'failed', detail: result.message }",
        "if (result.kind === 'refused' || lastPendingAt) return { kind: 'failed', detail: answer }",
      ),
    ],
  },
  {
    name: 'M35',
    what: 'a refund that a bank lists twice is booked twice',
    edits: [
      edit(
        'payments/named-refund.ts',
        'const refundedMinor = Math.max(snapshot.refundedMinor, sumOf(once))',
        'const refundedMinor = Math.max(snapshot.refundedMinor, sumOf(done))',
      ),
    ],
  },
  {
    name: 'M36',
    what: "a refund that is in the provider's list and not in its sum yet frees what it had reserved",
    edits: [
      edit(
        'payments/named-refund.ts',
        'if (!refunds) return snapshot\n',
        'if (!refunds || refunds.length > 0) return snapshot\n',
      ),
    ],
  },
  {
    name: 'M37',
    what: 'a refund that failed after all writes no mail',
    edits: [
      edit(
        'payments/buyer-mail.ts',
        'if (failedMinor > 0) await',
        'if (failedMinor > 0 && returnedMinor > 0) await',
      ),
    ],
  },
]
