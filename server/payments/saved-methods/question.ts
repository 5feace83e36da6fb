/**
 * Asks the provider whether a method was saved, and revokes saved methods at the provider. Neither the buyer's return nor the
 * provider's answer to a revocation proves anything, so in both cases the provider is asked how the method stands.
 */
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import { findAccount } from '../../accounts/choice.ts'
import { describeRefusal, isOfAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import type { SavedCard } from '../../contract/payment-method-token.ts'
import type { TokenLookUp } from '../../providers/driver.ts'
import type { GateLane } from '../../providers/http.ts'
import { inTransaction } from '../../storage/db.ts'
import { type OperationRecord, rescheduleOperation } from '../../storage/payments/operations.ts'
import { wakeSubscriptionsOfToken } from '../../storage/payments/subscriptions.ts'
import {
  claimSavedMethodQuestion,
  findSavedMethod,
  findSavedMethodById,
  noteSavedMethodState,
  rescheduleSavedMethod,
  type SavedMethodRecord,
} from '../../storage/saved-methods/saved-methods.ts'
import { runSharedQuestion, waitForResult } from '../attempts/in-flight.ts'
import { sendToProvider } from '../attempts/send-to-provider.ts'
import { applyOperationIn } from '../operation-change.ts'
import { backOffMs } from '../provider-call.ts'
import {
  MIN_QUESTION_INTERVAL_MS,
  mayAskAtReturn,
  pauseWithoutAnswerMs,
  questionDelayMs,
} from '../question-schedule.ts'
import { withParameters } from '../return-url.ts'
import { askProviderAboutMethod, orderOf } from './ask.ts'
import { applySavedMethodIn, type SavedMethodChange } from './change.ts'
import { endOperation } from './end-operation.ts'
import { takeSavingMoneyIn } from './money.ts'

/** The line of the log. */
const ENDED = 'revocation of a saved method ended'

/** While one process works on a saved method, other processes skip the method for this long. */
export const TOKEN_LEASE_MS = 60_000
const REVOKE_RETRY_MAX_MS = 15 * 60_000
/** If the provider has not removed a revoked method after this time, an operator decides. */
const REVOKE_REVIEW_AFTER_MS = 24 * 3_600_000

/**
 * The buyer comes back from the provider's page. Returns the merchant's return URL with the saved method's id added, never a
 * status. The URL is null if the merchant gave none. Returns null for an unknown id.
 */
export async function returnFromSaving(
  ctx: Context,
  tokenId: string,
): Promise<{ token: SavedMethodRecord; url: string | null } | null> {
  const known = await findSavedMethodById(ctx.db, tokenId)
  if (!known) return null
  const method = await askAtReturn(ctx, known)
  if (!method.returnUrl) return { token: method, url: null }
  return { token: method, url: withParameters(method.returnUrl, { tokenId: method.id }) }
}

/** Like the return from paying: the first return asks at once, and all others share one question every few seconds. */
async function askAtReturn(ctx: Context, method: SavedMethodRecord): Promise<SavedMethodRecord> {
  if (method.status !== 'pending') return method
  const now = ctx.clock.now()
  const isFirst = mayAskAtReturn(ctx, method.id)
  const unlessSince = isFirst ? now : new Date(now.getTime() - MIN_QUESTION_INTERVAL_MS)
  const mayAsk = (await claimSavedMethodQuestion(ctx.db, method, { now, unlessSince })) || isFirst
  const lane = isFirst ? 'buyer' : 'stranger'
  return waitForResult(ctx, mayAsk ? await askAboutSavedMethod(ctx, method, lane) : method, {
    name: method.id,
    reread: async () => (await findSavedMethodById(ctx.db, method.id)) ?? method,
    isDecided: ({ status }) => status !== 'pending',
  })
}

/** Asks a question that is due, and schedules the next one. */
export async function askDueSavedMethod(ctx: Context, due: SavedMethodRecord): Promise<void> {
  const method = await askAboutSavedMethod(ctx, due, 'schedule')
  if (!isQuestionDue(method)) return
  const delayMs = (method.status === 'pending' ? questionDelayMs : pauseWithoutAnswerMs)(ctx, due.attempts)
  const next = ctx.clock.now().getTime() + delayMs
  // Ask exactly at the expiry, because a method that is still pending then has failed.
  const end = method.expiresAt.getTime()
  await rescheduleSavedMethod(ctx.db, method, new Date(next > end && next - delayMs < end ? end : next))
}

/** Whether the schedule asks: the money of a saving may arrive after its method is decided. */
function isQuestionDue({ status, saving }: SavedMethodRecord): boolean {
  return status === 'pending' || saving !== null
}

/** Asks the provider about a method and applies the answer. */
async function askAboutSavedMethod(
  ctx: Context,
  method: SavedMethodRecord,
  lane: GateLane,
): Promise<SavedMethodRecord> {
  if (!isQuestionDue(method)) return method
  return runSharedQuestion(ctx, method.id, async () =>
    applyAnswer(ctx, method, await askProviderAboutMethod(ctx, method, lane)),
  )
}

/**
 * Asks the provider about a method of which it has just told us, also if the method was saved long ago. Returns false if the
 * provider has to tell us again, because it did not answer and nobody will ask it later.
 */
export async function askReportedSavedMethod(ctx: Context, method: SavedMethodRecord): Promise<boolean> {
  if (method.status !== 'active' && !isQuestionDue(method)) return true
  return runSharedQuestion(ctx, method.id, () => askReported(ctx, method))
}

async function askReported(ctx: Context, method: SavedMethodRecord): Promise<boolean> {
  const answer = await askProviderAboutMethod(ctx, method, 'schedule')
  if (answer.kind !== 'unavailable') await applyAnswer(ctx, method, answer)
  else if (method.status === 'pending') await rescheduleSavedMethod(ctx.db, method, ctx.clock.now())
  else return false
  return true
}

async function applyAnswer(
  ctx: Context,
  method: SavedMethodRecord,
  answer: TokenLookUp,
): Promise<SavedMethodRecord> {
  const change = decide(method, answer, ctx.clock.now())
  if (!change && !method.saving) return method
  return inTransaction(ctx.db, async (tx) => {
    // Subscriptions are locked before their saved method, as a renewal does, so that the two cannot deadlock.
    if (change?.to === 'revoked')
      await wakeSubscriptionsOfToken(
        tx,
        { merchantId: method.merchantId, tokenId: method.id },
        ctx.clock.now(),
      )
    const changed = change ? (await applySavedMethodIn(ctx, tx, method, change)).method : method
    return method.saving ? takeSavingMoneyIn(ctx, tx, method, answer) : changed
  })
}

function decide(method: SavedMethodRecord, answer: TokenLookUp, now: Date): SavedMethodChange | null {
  if (method.status === 'active') return decideActive(method, answer)
  return method.status === 'pending' ? decidePending(method, answer, now) : null
}

/** An active method ends only if the provider says so. Its card may have been replaced, for example by one with a later expiry. */
function decideActive({ card: known }: SavedMethodRecord, answer: TokenLookUp): SavedMethodChange | null {
  if (answer.kind !== 'found' || answer.status === 'pending') return null
  if (answer.status !== 'active') return { to: 'revoked', detail: REMOVED }
  const { card, state } = answer
  return card && !isSameCard(card, known) ? { to: 'active', card, state } : null
}

function isSameCard(one: SavedCard, other: SavedCard | null): boolean {
  return one.brand === other?.brand && one.last4 === other.last4 && one.expiry === other.expiry
}

const REMOVED = 'the provider has removed the saved card'

function decidePending(method: SavedMethodRecord, answer: TokenLookUp, now: Date): SavedMethodChange | null {
  const overdue = now >= method.expiresAt
  const late: SavedMethodChange = { to: 'failed', detail: 'no card was saved in time' }
  if (answer.kind === 'unavailable') return null
  if (answer.kind === 'not_found') return overdue ? late : null
  switch (answer.status) {
    case 'pending':
      return overdue ? late : null
    case 'active':
      return { to: 'active', card: answer.card, state: answer.state }
    case 'cancelled':
      return { to: 'cancelled', detail: 'the buyer saved no card' }
    case 'expired':
      return late
    case 'revoked':
      return { to: 'failed', detail: REMOVED }
  }
}

/**
 * Works once on a revocation that is due: asks the provider to remove the method, which does no harm if repeated, and then asks
 * whether the provider has removed it.
 */
export async function workOnRevocation(ctx: Context, due: OperationRecord): Promise<void> {
  const { merchantId, tokenId } = due
  const method = await findSavedMethod(ctx.db, merchantId, tokenId ?? '')
  if (!method) throw new Error(`Bug! Operation ${due.id} has no saved method.`)
  const now = ctx.clock.now()
  if (due.status === 'queued') {
    const change = { to: 'processing', cause: 'provider', dueAt: due.dueAt } as const
    await inTransaction(ctx.db, (tx) => applyOperationIn(ctx, tx, due, change))
  }
  const problem = await revokeAtProvider(ctx, method)
  const answer = await askProviderAboutMethod(ctx, method, 'schedule')
  const isUsable = answer.kind === 'found' && (answer.status === 'active' || answer.status === 'pending')
  if (answer.kind !== 'unavailable' && !isUsable)
    return endOperation(ctx, due, { to: 'succeeded', message: ENDED })
  // The buyer may have saved it since the last question. The next run removes what the provider has now told.
  if (answer.kind === 'found' && answer.status === 'active' && answer.state !== undefined)
    await noteSavedMethodState(ctx.db, method, answer.state)
  const why = answer.kind === 'unavailable' ? answer.message : (problem ?? 'the provider still has it')
  if (now.getTime() > due.createdAt.getTime() + REVOKE_REVIEW_AFTER_MS)
    return endOperation(ctx, due, { to: 'requires_operator_review', why, message: ENDED })
  const waitMs = backOffMs(due.attempts, REVOKE_RETRY_MAX_MS)
  await rescheduleOperation(ctx.db, due, { dueAt: new Date(now.getTime() + waitMs), why })
}

/** Returns why the provider did not remove the method; null when the provider reported no problem. */
async function revokeAtProvider(ctx: Context, method: SavedMethodRecord): Promise<string | null> {
  const account = await findAccount(ctx, method.accountId)
  const revokeToken = account?.driver.revokeToken
  if (!account || !revokeToken) return `the provider account ${method.accountId} cannot do this now`
  const order = await orderOf(ctx, method)
  const limits = limitsOfCall(account, 'writing')
  const calling = { lane: 'schedule', ...limits, about: method.id, right: 'tokenization' } as const
  const result = await sendToProvider(ctx, account, calling, (call) => revokeToken(call, order))
  if (result.kind === 'refused' && isOfAccount(result)) return describeRefusal(result.refusal)
  return 'message' in result ? result.message : null
}
