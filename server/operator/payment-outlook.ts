/** Whether and when the provider will be asked again about a payment that is still open. */
import { recallAccount, whyNotReady } from '../accounts/choice.ts'
import { REFUSAL_STORED_EVERY_MS } from '../accounts/refusal.ts'
import type { Context } from '../context.ts'
import { isOpen } from '../payments/status.ts'
import type { AttemptedPayment, ExchangeRecord } from './payment-timeline.ts'

export type Outlook =
  /** The provider cannot be asked until the account can be used. */
  | { kind: 'account_not_ready'; accountId: string; reason: string }
  /** The provider has refused requests of the account since the payment was created. So its silence means nothing. */
  | { kind: 'account_refused'; accountId: string; at: Date; reason: string }
  /** The last request about the payment had no answer. So the provider's silence means nothing. */
  | { kind: 'provider_silent'; accountId: string; at: Date; reason: string; nextAt: Date | null }
  /** The provider reports nothing, so only a person can see the money. */
  | { kind: 'person_decides' }
  /** The schedule is over. A look-up through the API still asks the provider. */
  | { kind: 'schedule_over' }
  | { kind: 'scheduled'; at: Date }
  /** The time of the question has passed. If this stays so, no worker is running. */
  | { kind: 'overdue'; at: Date }

/** Null if the payment is not open any more. `last`: the last request to the provider about it. */
export function outlookOf(
  ctx: Context,
  payment: AttemptedPayment,
  last: ExchangeRecord | undefined,
): Outlook | null {
  const { status, attempt } = payment
  const { accountId, questionDueAt } = attempt
  if (!isOpen(status)) return null
  const account = recallAccount(ctx, accountId)
  if (!account) return { kind: 'account_not_ready', accountId, reason: whyNotReady(ctx, accountId) }
  if (!account.driver.lookUp) return { kind: 'person_decides' }
  const { refusedAt, refusedReason } = ctx.accounts.recall()?.byId.get(accountId)?.record ?? {}
  // A refusal that follows another one within a minute is not stored again.
  if (refusedAt && refusedAt.getTime() >= payment.createdAt.getTime() - REFUSAL_STORED_EVERY_MS)
    return { kind: 'account_refused', accountId, at: refusedAt, reason: refusedReason ?? '' }
  const reason = last && failureOf(last)
  if (last && reason)
    return { kind: 'provider_silent', accountId, at: last.createdAt, reason, nextAt: questionDueAt }
  if (!questionDueAt) return { kind: 'schedule_over' }
  return { kind: questionDueAt > ctx.clock.now() ? 'scheduled' : 'overdue', at: questionDueAt }
}

function failureOf({ failure, status }: ExchangeRecord): string | null {
  return failure ?? (status !== null && status >= 500 ? `status ${status}` : null)
}
