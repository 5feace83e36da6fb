/** When an operation that has not ended is worked on again, and when it waits no longer. */

import { LONGEST_WRITE_MS } from '../../accounts/call-timeouts.ts'
import { type Health, healthOf } from '../../accounts/health.ts'
import type { Context } from '../../context.ts'
import { counted } from '../../messages/counted.ts'
import type { KeyedWrite } from '../../providers/driver.ts'
import { type Account, keyLifetimeMs } from '../../providers/registry.ts'
import { type OperationRecord, rescheduleOperation } from '../../storage/payments/operations.ts'
import { wantedPauseMs } from '../attempts/send-to-provider.ts'
import { warn } from '../attempts/warning.ts'
import { backOffMs } from '../provider-call.ts'
import { openRestore, WAITS_FOR_RESTORE } from '../restored.ts'
import { concludeOperation, PENDING_MAX_MS } from './verdict.ts'

const HOUR_MS = 3_600_000
/** The longest pause between two runs, in the first hour and after it. */
const RETRY_MAX_MS = 60_000
const LATE_RETRY_MAX_MS = 15 * 60_000
/** An operation that could not be sent in this time fails. */
const UNSENT_MAX_MS = 24 * HOUR_MS
/** If the provider cannot be asked for this long after the write was sent, an operator decides. */
const UNASKED_MAX_DAYS = 7

export function sinceMs(ctx: Context, moment: Date): number {
  return ctx.clock.now().getTime() - moment.getTime()
}

/** How soon an operation is looked at again that waits for the end of a restore. */
const RESTORE_RECHECK_MS = 5_000

/** While a restore is open the operation keeps its status, and says why it waits. Returns false if none is open. */
export async function waitForRestore(ctx: Context, operation: OperationRecord): Promise<boolean> {
  if (!(await openRestore(ctx))) return false
  const dueAt = new Date(ctx.clock.now().getTime() + RESTORE_RECHECK_MS)
  await rescheduleOperation(ctx.db, operation, { dueAt, why: WAITS_FOR_RESTORE })
  return true
}

/** Schedules the next run. `why` becomes the statusReason. `isPending`: the provider is working on the write. */
export async function retryLater(
  ctx: Context,
  operation: OperationRecord,
  why: string,
  isPending = false,
  atLeastMs = 0,
): Promise<void> {
  const now = ctx.clock.now()
  const { lastPendingAt, sentAt, createdAt, providerOperationId } = operation
  const isLate = !isPending && sinceMs(ctx, lastPendingAt ?? sentAt ?? createdAt) > HOUR_MS
  const usualMs = backOffMs(operation.attempts, isLate ? LATE_RETRY_MAX_MS : RETRY_MAX_MS)
  const pauseMs = Math.max(usualMs, atLeastMs)
  const dueAt = new Date(now.getTime() + pauseMs)
  await rescheduleOperation(ctx.db, operation, {
    dueAt,
    why,
    lastPendingAt: isPending ? now : null,
    providerOperationId,
  })
  ctx.log.debug(
    { paymentId: operation.paymentId, operationId: operation.id, why },
    'operation will be retried',
  )
}

/**
 * The write certainly was not carried out, although the provider can be asked. It is sent again after the pause that the provider
 * wants, within bounds. After UNSENT_MAX_MS an operator decides: the provider may never take it.
 */
export async function retryUnsent(
  ctx: Context,
  operation: OperationRecord,
  unsent: { kind: string; message: string },
): Promise<void> {
  const { message } = unsent
  if (await endIfUntaken(ctx, operation, message)) return
  await retryLater(ctx, operation, message, false, wantedPauseMs(unsent))
}

/** `why`: by default as it was last stored. Returns false, and does nothing, while the write may be sent again. */
export async function endIfUntaken(
  ctx: Context,
  operation: OperationRecord,
  why = operation.statusReason ?? 'the provider did not take it',
): Promise<boolean> {
  const { notTakenSince, sentAt } = operation
  if (!notTakenSince || sinceMs(ctx, notTakenSince) <= UNSENT_MAX_MS) return false
  const hours = Math.floor(sinceMs(ctx, notTakenSince) / HOUR_MS)
  const earlier = sentAt ? 'an earlier request may have been carried out' : 'nothing was done'
  const detail = `for ${counted(hours, 'hour')} it could not be carried out: ${why}; ${earlier}`
  await quoteRefusal(ctx, operation)
  await concludeOperation(ctx, operation, { kind: 'review', detail })
  return true
}

/** Whether the account waits for its operator: the provider refuses it, or its credentials cannot be read. */
async function findUnwell(ctx: Context, { accountId }: OperationRecord): Promise<Health | null> {
  const entry = (await ctx.accounts.read()).byId.get(accountId ?? '')
  const health = entry && healthOf(entry)
  return health?.state === 'refusing' || health?.state === 'unopenable' ? health : null
}

/** The person who decides reads what the provider said. The merchant reads our own words in the status. */
async function quoteRefusal(ctx: Context, operation: OperationRecord): Promise<void> {
  const { merchantId, paymentId, type, id, refusedTimes, accountId } = operation
  const unwell = await findUnwell(ctx, operation)
  if (paymentId === null || (refusedTimes === 0 && unwell === null)) return
  const { refusedReason } = (await ctx.accounts.read()).byId.get(accountId ?? '')?.record ?? {}
  const words = unwell?.reason ?? refusedReason
  const detail = `the ${type} ${id} could not be sent for a day, because the account is not accepted: ${words}`
  await warn(ctx, { merchantId, id: paymentId }, detail)
}

/**
 * The provider cannot be asked, or cannot say what came of the write. It is asked again later. A write that could not be sent for
 * a day fails, unless it is the account that is not well: then an operator decides. So it is if the write was sent and its outcome
 * stays unknown for UNASKED_MAX_DAYS.
 */
export async function waitForAnswer(ctx: Context, operation: OperationRecord, why: string): Promise<void> {
  const { sentAt, lastPendingAt, createdAt } = operation
  const sentMaxMs = lastPendingAt ? PENDING_MAX_MS : UNASKED_MAX_DAYS * 24 * HOUR_MS
  const isTooLate = sentAt ? sinceMs(ctx, sentAt) > sentMaxMs : sinceMs(ctx, createdAt) > UNSENT_MAX_MS
  if (!isTooLate) return retryLater(ctx, operation, why)
  if (!sentAt) {
    const kind = (await findUnwell(ctx, operation)) ? 'review' : 'failed'
    await quoteRefusal(ctx, operation)
    await concludeOperation(ctx, operation, { kind, detail: `${why}; nothing was done` })
    return
  }
  const days = Math.floor(sinceMs(ctx, sentAt) / (24 * HOUR_MS))
  const detail = `it was sent ${counted(days, 'day')} ago, and the provider cannot say what came of it: ${why}`
  await concludeOperation(ctx, operation, { kind: 'review', detail })
}

/**
 * Whether the provider does this write once under its key, however often it is sent. It may have forgotten a key that is about
 * to reach its lifetime.
 */
export function isKeyKnown(
  ctx: Context,
  { operation: { sentAt, lastPendingAt }, account }: { operation: OperationRecord; account: Account },
  write: KeyedWrite,
): boolean {
  const knownForMs = keyLifetimeMs(account, write) - 2 * LONGEST_WRITE_MS
  return sentAt !== null && lastPendingAt === null && sinceMs(ctx, sentAt) < knownForMs
}
