/** One case with both sides' evidence, what is recommended, and what can be decided. */
import { recallAccount } from '../../accounts/choice.ts'
import { getAccountView } from '../../accounts/manage.ts'
import { type Context, systemClock } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { DECIDED_STATUSES } from '../../payments/decisions/payment.ts'
import { getReceiverHealth } from '../../receivers/receiver.ts'
import { type CaseKind, findCase, type PlacedCase } from '../../storage/desk/cases.ts'
import { findReceiptById } from '../../storage/payments/receipts.ts'
import { findFinding } from '../../storage/reports/findings.ts'
import { findRefundRefusal } from '../../storage/returns/refund-refusals.ts'
import { getOperationHistory } from '../operation-history.ts'
import { getTimeline, type Timeline } from '../payment-timeline.ts'
import { type Advice, adviceOn } from './advice.ts'
import type { Evidence } from './evidence.ts'

/** `accountId`: of a difference, whose id belongs to its account. `merchantId`: whose cases may be seen; null for all. */
export type CaseName = {
  kind: CaseKind
  subject: string
  accountId: string | null
  merchantId: string | null
}

/**
 * `seen`: changes with everything that a decision about the case refers to. `choices`: what a person may decide here; none where the
 * case ends elsewhere.
 */
export type CaseDetail = Evidence & { seen: string; choices: readonly string[]; advice: Advice }

/** @throws AppError not_found for what waits for nobody */
export async function getCase(ctx: Context, name: CaseName): Promise<CaseDetail> {
  const found = await findCase(ctx.db, { ...name, now: systemClock.now() })
  if (!found)
    throw new AppError('not_found', { message: `There is no case "${name.kind}" of ${name.subject}.` })
  const evidence = await gather(ctx, found)
  return { ...evidence, seen: seenOf(evidence), choices: choicesOf(evidence), advice: adviceOn(evidence) }
}

async function gather(ctx: Context, found: PlacedCase): Promise<Evidence> {
  const { kind, subject, paymentId, accountId } = found
  const timeline = paymentId === null ? null : await getTimeline(ctx, paymentId)
  const account = timeline && recallAccount(ctx, timeline.payment.attempt.accountId)
  const isReceiver = kind === 'callback_paused' || kind === 'events_given_up'
  return {
    found,
    timeline,
    operation: kind === 'operation' ? await getOperationHistory(ctx, subject) : null,
    receipt: kind === 'receipt' ? await findReceiptById(ctx.db, subject) : null,
    finding: kind === 'difference' ? await findFinding(ctx.db, accountId ?? '', subject) : null,
    refusal: kind === 'refund_limit' ? await findRefundRefusal(ctx.db, subject) : null,
    account: kind === 'account' ? await getAccountView(ctx, subject) : null,
    receiver: isReceiver ? await getReceiverHealth(ctx, subject) : null,
    canAsk: account?.driver.lookUp !== undefined,
  }
}

function seenOf({ found, timeline, operation, receipt, finding, refusal }: Evidence): string {
  const version = String(timeline?.payment.version ?? '')
  switch (found.kind) {
    case 'operation':
      return `${operation?.paymentVersion ?? ''}-${operation?.changes.length ?? 0}`
    case 'receipt':
      return `${receipt?.status}-${receipt?.updatedAt.getTime()}`
    case 'warning':
      return String(lastWarning(timeline)?.getTime() ?? '')
    case 'refund_limit':
      return String(refusal?.calls ?? '')
    case 'difference':
      return `${finding?.oursMinor}-${finding?.theirsMinor}-${finding?.foundAt.getTime()}`
    default:
      return version
  }
}

/** The time of the last warning that nobody has settled. */
export function lastWarning(timeline: Timeline | null): Date | null {
  return timeline?.warnings.findLast(({ settledAt }) => settledAt === null)?.createdAt ?? null
}

const RECEIPT_CHOICES = { failed: ['retry', 'issued'], unclear: ['issued', 'failed', 'retry'] } as const

function choicesOf({ found, receipt }: Evidence): readonly string[] {
  switch (found.kind) {
    case 'undecided':
      return DECIDED_STATUSES
    case 'operation':
      return ['succeeded', 'failed']
    case 'receipt':
      return RECEIPT_CHOICES[receipt?.status as keyof typeof RECEIPT_CHOICES] ?? []
    case 'warning':
    case 'refund_limit':
      return ['settled']
    case 'difference':
      return ['closed']
    default:
      return []
  }
}
