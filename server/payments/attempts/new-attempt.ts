/** A payment's first attempt, before anything is stored and before the provider knows of it. */
import type { Context } from '../../context.ts'
import type { Account } from '../../providers/registry.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { firstQuestionAt } from '../question-schedule.ts'
import { NO_MONEY } from './attempt.ts'
import { openingEnd } from './lease.ts'

/** The caller opens the order. `reference`: see `reference.ts`. */
export function newAttempt(
  ctx: Context,
  { merchantId, id: paymentId, createdAt, expiresAt }: Payment,
  { id: accountId, route: provider }: Account,
  reference: string,
): Attempt {
  return {
    merchantId,
    paymentId,
    number: 1,
    state: 'opening',
    provider,
    accountId,
    reference,
    providerState: null,
    checkoutUrl: null,
    form: null,
    begunAt: createdAt,
    leaseUntil: openingEnd(ctx),
    mayAppearUntil: null,
    openedAt: null,
    expiresAt,
    ...NO_MONEY,
    facts: null,
    questionDueAt: firstQuestionAt(ctx, createdAt),
    questionAttempts: 0,
    askedAt: null,
  }
}
