/**
 * One person's decision about a case, by the verb that the command line has for it too.
 * Rule: it is about the case as the person saw it. What has changed since is refused.
 */
import type { Person } from '../../audit/people.ts'
import { refuseCardData } from '../../card-number/card-data.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import type { DecidedStatus } from '../../payments/decisions/payment.ts'
import { resolveReceipt } from '../../payments/decisions/receipt.ts'
import { closeFindingByHand } from '../../reports/findings.ts'
import { retryReceiptFor } from '../acts/agreements.ts'
import { doOrPropose } from '../approvals/approvals.ts'
import { type CaseDetail, lastWarning } from './case.ts'
import { settleRefusal, settleWarnings } from './desk.ts'

/**
 * `number`: the register's number of a receipt that was issued. `accepts`: the sum in minor units that the person accepts in place of
 * the whole amount.
 */
export type Decision = {
  choice: string
  why: string
  seen: string
  number?: string | undefined
  accepts?: number | undefined
}
/** `against`: it was stored, and the provider says something else. */
export type Outcome = 'decided' | 'proposed' | 'against'

/** @throws AppError for a decision that is none of this case, or that is about the case as it was before */
export function checkDecision(detail: CaseDetail, { choice, why, seen }: Decision): void {
  refuseCardData({ reason: why }, 'command')
  if (!detail.choices.includes(choice))
    throw new AppError('validation_failed', { message: `"${choice}" is not one of ${detail.choices}.` })
  if (seen !== detail.seen)
    throw new AppError('payment_not_eligible', {
      message: 'The case has changed since you looked at it. Look again.',
    })
}

/**
 * @throws AppError payment_not_eligible if the case has changed since the person saw it, or if the provider's books show another
 *   outcome; provider_unavailable; not_found if another person has decided just before; those of the verbs
 */
export async function decideCase(
  ctx: Context,
  person: Person,
  detail: CaseDetail,
  decision: Decision,
): Promise<Outcome> {
  checkDecision(detail, decision)
  return KINDS[detail.found.kind]?.(ctx, person, detail, decision) ?? 'decided'
}

type DecideCase = (ctx: Context, person: Person, detail: CaseDetail, decision: Decision) => Promise<Outcome>
const KINDS: Partial<Record<CaseDetail['found']['kind'], DecideCase>> = {
  undecided: decidePayment,
  operation: decideOperation,
  receipt: decideReceipt,
  async warning(ctx, { name: by }, { found, timeline }, { why }) {
    await settleWarnings(ctx, found.subject, { by, why, dryRun: false, until: lastWarning(timeline) })
    return 'decided'
  },
  async refund_limit(ctx, { name: by }, { found, refusal }, { why }) {
    await settleRefusal(ctx, found.subject, { by, why, calls: refusal?.calls ?? null })
    return 'decided'
  },
  async difference(ctx, { name: by }, { found }, { why }) {
    await closeFindingByHand(ctx, { accountId: found.accountId ?? '', id: found.subject }, { by, why })
    return 'decided'
  },
}

async function decidePayment(
  ctx: Context,
  person: Person,
  { found, timeline }: CaseDetail,
  { choice, why, accepts }: Decision,
): Promise<Outcome> {
  const args = { paymentId: found.subject, as: choice as DecidedStatus, why, accepts }
  const decided = await doOrPropose(ctx, person, 'payment resolve', {
    ...args,
    version: timeline?.payment.version,
  })
  if ('proposed' in decided) return 'proposed'
  return decided.done.disagrees ? 'against' : 'decided'
}

async function decideOperation(
  ctx: Context,
  person: Person,
  { found, operation }: CaseDetail,
  { choice, why }: Decision,
): Promise<Outcome> {
  const args = { operationId: found.subject, as: choice as 'succeeded' | 'failed', why }
  const version = operation?.paymentVersion ?? undefined
  const decided = await doOrPropose(ctx, person, 'operation resolve', { ...args, version })
  return 'proposed' in decided ? 'proposed' : 'decided'
}

async function decideReceipt(
  ctx: Context,
  { name: actor }: Person,
  { found }: CaseDetail,
  { choice, why, number = '' }: Decision,
): Promise<Outcome> {
  if (choice === 'retry') {
    await retryReceiptFor(ctx, found.paymentId ?? '', actor)
    return 'decided'
  }
  if (choice === 'issued' && number === '')
    throw new AppError('validation_failed', { message: 'Give the number that the register printed.' })
  const outcome = choice === 'issued' ? { as: 'issued' as const, number } : { as: 'failed' as const }
  await resolveReceipt(ctx, found.subject, outcome, { actor, why })
  return 'decided'
}
