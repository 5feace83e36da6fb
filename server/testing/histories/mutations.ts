/**
 * Deliberate faults of the money code. `mutate.ts` puts each into a copy of the service and lets random histories look for it. The
 * first five were chosen before the model of these histories ran for the first time.
 */

/** `from` stands once in `file`, which is below `server/`. */
export type Edit = { file: string; from: string; to: string }
export type Mutation = { name: string; what: string; edits: Edit[] }

const edit = (file: string, from: string, to: string): Edit => ({ file, from, to })

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
    name: 'own-4',
    what: "a charge of a saved method is sent again after its provider has forgotten the request's key",
    edits: [
      edit(
        'payments/subscriptions/sending.ts',
        'return ctx.clock.now().getTime() - sentAt.getTime() < keyLifetimeMs - 2 * CHARGE_TIMEOUT_MS',
        'return ctx.clock.now().getTime() >= sentAt.getTime() && keyLifetimeMs > 2 * CHARGE_TIMEOUT_MS',
      ),
    ],
  },
  {
    name: 'own-5',
    what: 'held second money is refunded instead of released',
    edits: [
      edit(
        'payments/attempts/second-money.ts',
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

/** Faults that were found in the service and mended, put back as far as today's code allows. */
const MENDED: Mutation[] = [
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
        'payments/provider-word.ts',
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
        'payments/provider-word.ts',
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
        'payments/decisions/moved.ts',
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
    name: 'M26',
    what: 'a charge of a saved PayPal account whose answer was lost is not sent again',
    edits: [edit('providers/paypal/charge.ts', '  keyedCharge: true,\n', '')],
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
        'if (!isOpening || ctx.clock.now() >= payment.expiresAt) return finishKey',
        'if (!isOpening || payment.version > 0 || ctx.clock.now() >= payment.expiresAt) return finishKey',
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
    name: 'M33',
    what: 'a renewal that could not be sent fails',
    edits: [
      edit(
        'payments/subscriptions/work.ts',
        "if (result.kind === 'unsent') return sendLater(ctx, subscription, sent, result.message)",
        "if (result.kind === 'unsent' && !result.message) return sendLater(ctx, subscription, sent, result.message)",
      ),
      edit(
        'payments/subscriptions/work.ts',
        'return followUp(ctx, account, subscription, sent.charge, { result })',
        "return followUp(ctx, account, subscription, sent.charge, result.kind === 'unsent' ? {} : { result })",
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

export const MUTATIONS: Mutation[] = [...CHOSEN_FIRST, ...MISSED, ...MENDED]
