/**
 * Some providers save a card only by a real payment. This file returns its money to the buyer. The steps: ask the provider, store its
 * answer with the time at which the return is sent, send it, and ask again. Only the provider's amounts prove the outcome.
 * Rule: once `sentAt` is stored, the return is not sent again, unless the provider still knows our key and its records show that nothing
 * was done. After a crash at any line, the next run continues from the stored state. The saved method can be used whatever happens to
 * the return.
 */
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import { findAccount } from '../../accounts/choice.ts'
import { describeRefusal, isOfAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { SavingMoney, SavingReturn, WriteResult } from '../../providers/driver.ts'
import type { Account } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { markOperationResent, unmarkOperationSent } from '../../storage/payments/operation-sends.ts'
import { markOperationSent, type OperationRecord } from '../../storage/payments/operations.ts'
import { findSavedMethod, type SavedMethodRecord } from '../../storage/saved-methods/saved-methods.ts'
import { noteSavingMoney } from '../../storage/saved-methods/saving-money.ts'
import { isUnsent, sendToProvider, type Unsent, wantedPauseMs } from '../attempts/send-to-provider.ts'
import { writeNameOf } from '../named-refund.ts'
import { applyOperationIn } from '../operation-change.ts'
import { isKeyKnown, retryLater, sinceMs, waitForRestore } from '../operations/waiting.ts'
import { workOnOperation } from '../operations/work.ts'
import { askProviderAboutMethod, orderOf } from './ask.ts'
import { endOperation } from './end-operation.ts'
import { isLaterReturn, leftOf } from './money.ts'

/** The message of the log line. */
const ENDED = 'return of a saving ended'

/** Sends of one return, the first included. */
const SENDS_MAX = 5
const DAY_MS = 24 * 3_600_000
/** A return that could not be sent, or asked about, for so long goes to a person. */
const WAIT_MAX_MS = DAY_MS
/** The same for a return on which the provider is working. */
const PENDING_MAX_MS = 30 * DAY_MS

type Work = { operation: OperationRecord; method: SavedMethodRecord; account: Account }
type Sent = WriteResult | (Unsent & { isRefused?: boolean })

/** Works once on a refund, capture or void that is due, also if it returns the money of a saving, which belongs to no payment. */
export function workOnMoney(ctx: Context, due: OperationRecord): Promise<void> {
  return due.paymentId === null ? workOnSavingReturn(ctx, due) : workOnOperation(ctx, due)
}

/** Works once on a return that is due. If it throws, a later run continues from the stored state. */
async function workOnSavingReturn(ctx: Context, due: OperationRecord): Promise<void> {
  if (await waitForRestore(ctx, due)) return
  const operation = due.status === 'queued' ? await start(ctx, due) : due
  if (operation?.status !== 'processing') return
  const method = await findSavedMethod(ctx.db, due.merchantId, due.tokenId ?? '')
  if (!method) throw new Error(`Bug! Operation ${due.id} has no saved method.`)
  const account = await findAccount(ctx, method.accountId)
  if (!account?.driver.finishSaving)
    return waitOrReview(ctx, operation, `the provider account ${method.accountId} cannot do this now`)
  const work = { operation, method, account }
  const money = await findMoneyLeft(ctx, work)
  if (!money) return
  if (operation.sentAt) await continueSent(ctx, work, money)
  else await sendFirst(ctx, work, money)
}

async function start(ctx: Context, queued: OperationRecord): Promise<OperationRecord | null> {
  const dueAt = new Date(ctx.clock.now().getTime() + ctx.config.operationLeaseSeconds * 1000)
  const change = { to: 'processing', cause: 'provider', dueAt } as const
  return inTransaction(ctx.db, (tx) => applyOperationIn(ctx, tx, queued, change))
}

/**
 * Asks the provider how much is left to return. Returns null if nothing is left or the provider does not show it: then the operation has
 * ended or waits.
 */
async function findMoneyLeft(ctx: Context, { operation, method }: Work): Promise<SavingMoney | null> {
  const answer = await askProviderAboutMethod(ctx, method, 'money')
  const money = answer.kind === 'found' ? answer.money : undefined
  if (!money) {
    const why = answer.kind === 'unavailable' ? answer.message : 'the provider does not show the payment'
    await waitOrReview(ctx, operation, why)
    return null
  }
  await noteSavingMoney(ctx.db, method, money)
  if (leftOf(money) > 0) return money
  await endOperation(ctx, operation, { to: 'succeeded', message: ENDED })
  return null
}

async function sendFirst(ctx: Context, work: Work, money: SavingMoney): Promise<void> {
  const { operation } = work
  if (isLaterReturn(operation)) {
    const why = 'an earlier return has ended, and the provider shows the money again'
    return endOperation(ctx, operation, { to: 'requires_operator_review', why, message: ENDED })
  }
  const now = ctx.clock.now()
  const sent = await markOperationSent(ctx.db, operation, money, now)
  if (sent) await send(ctx, { ...work, operation: sent }, now)
}

/** The return was sent in an earlier run, and the provider still shows money. */
async function continueSent(ctx: Context, work: Work, money: SavingMoney): Promise<void> {
  const { operation } = work
  const isUntouched = leftOf(money) === leftOf(operation.before as SavingMoney)
  const now = ctx.clock.now()
  const again =
    isUntouched && isKeyKnown(ctx, work, 'finishSaving')
      ? await markOperationResent(ctx.db, operation, SENDS_MAX)
      : null
  if (again) return send(ctx, { ...work, operation: again }, now)
  const shown = isUntouched ? 'nothing of it' : `${leftOf(money)} minor units of it left`
  const waitMs = ctx.config.operationReviewAfterSeconds * 1000
  const why = `the return was sent, and the provider shows ${shown}`
  return waitOrReview(ctx, operation, why, { maxMs: waitMs })
}

async function send(ctx: Context, work: Work, sentAt: Date): Promise<void> {
  const { operation, method } = work
  const result = await sendReturn(ctx, work, sentAt)
  const fields = { operationId: operation.id, tokenId: method.id, answer: result.kind }
  ctx.log.info(fields, 'return of a saving sent')
  if (isUnsent(result)) {
    const { isRefused = false } = result
    const unsent = await unmarkOperationSent(ctx.db, operation, { now: ctx.clock.now(), isRefused })
    return waitOrReview(ctx, unsent ?? operation, result.message, { atLeastMs: wantedPauseMs(result) })
  }
  const money = await findMoneyLeft(ctx, work)
  if (!money) return
  if (result.kind === 'refused')
    return endOperation(ctx, operation, {
      to: 'requires_operator_review',
      why: `the provider refused: ${result.message}`,
      message: ENDED,
    })
  const isPending = result.kind === 'pending'
  const why =
    'message' in result ? result.message : 'the provider has accepted it, and its amounts do not show it yet'
  await retryLater(ctx, operation, why, isPending)
}

/** A refusal of the account has done nothing, so it counts as not sent: the account may be accepted again. */
async function sendReturn(ctx: Context, { operation, method, account }: Work, sentAt: Date): Promise<Sent> {
  const { finishSaving } = account.driver
  if (!finishSaving) return { kind: 'unsent', message: 'the provider account cannot do this now' }
  const saving: SavingReturn = {
    ...(await orderOf(ctx, method)),
    key: writeNameOf(operation).key,
    refusedTimes: operation.refusedTimes,
    before: operation.before as SavingMoney,
  }
  const leaseMs = ctx.config.operationLeaseSeconds * 1_000
  const limits = limitsOfCall(account, 'writing', leaseMs)
  const sendUntil = new Date(sentAt.getTime() + limits.timeoutMs)
  const { takenMinor, returnedMinor } = saving.before
  const right = takenMinor > returnedMinor ? 'refund' : 'void'
  const calling = { lane: 'money', ...limits, sendUntil, about: method.id, right } as const
  const result = await sendToProvider(ctx, account, calling, (call) => finishSaving(call, saving))
  if (result.kind === 'timed_out') return { kind: 'unknown', message: result.message }
  if (result.kind === 'refused' && isOfAccount(result))
    return { kind: 'unsent', message: describeRefusal(result.refusal), isRefused: true }
  return result
}

/**
 * Tries again later, after at least `atLeastMs`. After `maxMs` without an outcome a person decides. A provider that reports that it is
 * working on the return has 30 days.
 */
async function waitOrReview(
  ctx: Context,
  operation: OperationRecord,
  why: string,
  { maxMs = WAIT_MAX_MS, atLeastMs = 0 }: { maxMs?: number; atLeastMs?: number } = {},
): Promise<void> {
  const { lastPendingAt, sentAt, notTakenSince, createdAt } = operation
  // A return may have waited for the end of a restore before the provider was first asked to take it.
  const waitedMs = sinceMs(ctx, sentAt ?? notTakenSince ?? createdAt)
  if (waitedMs <= (lastPendingAt ? PENDING_MAX_MS : maxMs))
    return retryLater(ctx, operation, why, false, atLeastMs)
  await endOperation(ctx, operation, { to: 'requires_operator_review', why, message: ENDED })
}
