/**
 * How a merchant's callback URL fares: its state as it is written, what ends its trouble, and all of it for an operator.
 * Law: whoever moves a receiver's state does it here, so that the log and the metrics hear of every move.
 */
import type { Context } from '../context.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { noteCallbackEvidence } from '../merchants/onboarding.ts'
import { withoutQuery } from '../outbound.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { type DeliveryRecord, findLastFailure } from '../storage/events/deliveries.ts'
import { bringWaitingEventsForward } from '../storage/events/due-events.ts'
import { countUndelivered } from '../storage/events/event-history.ts'
import {
  findReceiver,
  listRestingReceivers as listRestingReceiverRecords,
  lockReceiver,
  type ReceiverRecord,
  setReceiverUrl,
  updateReceiver,
} from '../storage/events/receivers.ts'
import { adviceOn } from './advice.ts'
import { HEALTHY, type ReceiverState, receiverChange } from './health.ts'
import { addWebhookSecret, hasReceiverSecret } from './secret.ts'

export { withoutQuery } from '../outbound.ts'
export type { ReceiverRecord } from '../storage/events/receivers.ts'

type Named = { merchantId: string; url: string }

const RESTING_MAX = 1_000

/** Writes the state that follows from an attempt, and tells the operator where that is news. */
export async function noteReceiver(
  ctx: Context,
  tx: Tx,
  { merchantId, url }: Named,
  { before, after }: { before: ReceiverState; after: ReceiverState },
): Promise<void> {
  await updateReceiver(tx, { merchantId, url, ...after })
  const change = receiverChange(before, after)
  if (!change) return
  ctx.metrics.receiverChanged(change)
  const { failures, failingSince, probeAt } = after.probeAt ? after : before
  const shown = { merchantId, url: withoutQuery(url), failures, failingSince }
  ctx.log[after.probeAt ? 'warn' : 'info'](
    { ...shown, nextTryAt: after.probeAt && probeAt },
    `receiver ${change}`,
  )
}

/** A receiver that had failed took an event: it is in good health, and what waited while it was paused is due now. */
export async function recoverReceiver(ctx: Context, { merchantId, url }: Named): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const before = await lockReceiver(tx, merchantId, url)
    if (before.pausedAt) await bringWaitingEventsForward(tx, merchantId, ctx.clock.now())
    await noteReceiver(ctx, tx, { merchantId, url }, { before, after: HEALTHY })
  })
}

/** The trouble that a proof of good health has ended; null where there was none. */
export type Woken = 'failing' | 'resting' | 'paused' | null

/** The URL was seen to do all that it should, which is as good as an event that was taken. */
export async function wakeReceiver(ctx: Context, { merchantId, url }: Named): Promise<Woken> {
  const receiver = await findReceiver(ctx.db, merchantId)
  const state = stateOfReceiver(receiver)
  // Somebody may have set another address while this one was tried.
  if (state === 'healthy' || receiver?.url !== url) return null
  await recoverReceiver(ctx, { merchantId, url })
  return state
}

/** Null stands for a receiver that nothing is known against. */
export function stateOfReceiver(
  receiver: ReceiverState | null,
): 'healthy' | 'failing' | 'resting' | 'paused' {
  if (receiver?.pausedAt) return 'paused'
  if (receiver?.probeAt) return 'resting'
  return receiver && receiver.failures > 0 ? 'failing' : 'healthy'
}

export type ReceiverHealth = {
  receiver: ReceiverRecord | null
  /** The latest attempt that failed, and what it means; null in good health. */
  lastFailure: (DeliveryRecord & { advice: string }) | null
  /** Events that are still to be sent, and those that are sent no more unless they are replayed. */
  waiting: number
  givenUp: number
}

/** How the merchant's callback URL fares; null while nothing is known against it. */
export async function findReceiverOf(ctx: Context, merchantId: string): Promise<ReceiverRecord | null> {
  return findReceiver(ctx.db, merchantId)
}

/** The same, and why. */
export async function getReceiverHealth(ctx: Context, merchantId: string): Promise<ReceiverHealth> {
  const [receiver, { waiting, givenUp }] = await Promise.all([
    findReceiver(ctx.db, merchantId),
    countUndelivered(ctx.db, merchantId),
  ])
  const isInTrouble = receiver !== null && stateOfReceiver(receiver) !== 'healthy'
  const failed = isInTrouble ? await findLastFailure(ctx.db, merchantId, receiver.url) : null
  return {
    receiver,
    lastFailure: failed && { ...failed, advice: adviceOnDelivery(failed) },
    waiting,
    givenUp,
  }
}

function adviceOnDelivery({ statusCode, failure }: DeliveryRecord): string {
  return adviceOn(
    statusCode === null
      ? { kind: 'failed', message: failure ?? '' }
      : { kind: 'answered', statusCode, retryAfter: undefined, answerStart: '' },
  )
}

/** The receivers that rest or are paused: of these merchants, or of all; at most RESTING_MAX. */
export async function listRestingReceivers(
  ctx: Context,
  merchantIds: string[] | null = null,
): Promise<ReceiverRecord[]> {
  return listRestingReceiverRecords(ctx.db, merchantIds, RESTING_MAX)
}

/**
 * Sets where events go. Waiting events are sent there now, whatever happened to the address before. Returns the secret that signs
 * the events if the merchant had none in this world: it was created in the other one. Nobody can read the secret again later.
 * @throws AppError validation_failed for an address that is not allowed; not_found for no such merchant.
 */
export async function setCallback(
  ctx: Context,
  merchantId: string,
  callbackUrl: string,
): Promise<{ webhookSecret: string | null }> {
  ctx.outbound.checkUrl(callbackUrl)
  const before = await getMerchant(ctx, merchantId)
  const isSigned = await hasReceiverSecret(ctx, merchantId)
  return inTransaction(ctx.db, async (tx) => {
    if (before.callbackUrl !== callbackUrl) await noteCallbackEvidence(ctx, tx, merchantId, null)
    await setReceiverUrl(tx, merchantId, callbackUrl)
    await bringWaitingEventsForward(tx, merchantId, ctx.clock.now())
    return { webhookSecret: isSigned ? null : await addWebhookSecret(ctx, tx, merchantId) }
  })
}
