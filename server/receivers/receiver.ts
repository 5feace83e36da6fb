/**
 * Stores and shows the health of a merchant's callback URL.
 * Rule: only this file changes a receiver's state, so that every change is logged and counted.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { noteCallbackEvidence } from '../merchants/onboarding.ts'
import { ORDER_BOOK_URL } from '../merchants/order-book-address.ts'
import { notifyOwner } from '../notices/notify.ts'
import { withoutQuery } from '../outbound/outbound.ts'
import { afterCommit } from '../storage/after-commit.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import { bringWaitingEventsForward } from '../storage/events/due-events.ts'
import { countUndelivered } from '../storage/events/event-history.ts'
import { type DeliveryRecord, findLastFailure } from '../storage/events/events.ts'
import {
  findReceiver,
  listRestingReceivers as listRestingReceiverRecords,
  lockReceiver,
  type ReceiverRecord,
  setReceiverUrl,
  updateReceiver,
} from '../storage/events/receivers.ts'
import { lockMerchant } from '../storage/merchants/merchants.ts'
import { adviceText } from './advice.ts'
import { takingIn } from './earlier.ts'
import { HEALTHY, isResting, OPENS_AT_FAILURES, type ReceiverState, receiverChange } from './health.ts'
import { addWebhookSecret, hasReceiverSecret } from './secret.ts'

export { ORDER_BOOK_URL } from '../merchants/order-book-address.ts'
export { withoutQuery } from '../outbound/outbound.ts'
export type { ReceiverRecord } from '../storage/events/receivers.ts'

type ReceiverAddress = { merchantId: string; url: string }

const RESTING_MAX = 1_000

/** Stores the state after an attempt. Once it is committed, logs and counts a change that an operator should know of. */
export async function noteReceiver(
  ctx: Context,
  tx: Tx,
  { merchantId, url }: ReceiverAddress,
  { before, after }: { before: ReceiverState; after: ReceiverState },
): Promise<void> {
  await updateReceiver(tx, { merchantId, url, ...after })
  const change = receiverChange(before, after)
  if (!change) return
  const { failures, failingSince, probeAt } = after.probeAt ? after : before
  const shown = { merchantId, url: withoutQuery(url), failures, failingSince }
  afterCommit(tx, () => {
    ctx.metrics.receiverChanged(change)
    ctx.log[after.probeAt ? 'warn' : 'info'](
      { ...shown, nextTryAt: after.probeAt && probeAt },
      `receiver ${change}`,
    )
  })
}

/** Makes a receiver healthy after a success. Events that waited while it was paused are due now. */
export async function recoverReceiver(ctx: Context, { merchantId, url }: ReceiverAddress): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    const before = await lockReceiver(tx, merchantId, url)
    if (before.pausedAt) await bringWaitingEventsForward(tx, merchantId, ctx.clock.now())
    await noteReceiver(ctx, tx, { merchantId, url }, { before, after: HEALTHY })
  })
}

/** The unhealthy state that a success has ended, or null if the receiver was healthy. */
export type EndedTrouble = 'failing' | 'resting' | 'paused' | null

/** Makes the receiver healthy after it passed the verification, which counts like an accepted event. */
export async function endTrouble(ctx: Context, { merchantId, url }: ReceiverAddress): Promise<EndedTrouble> {
  const receiver = await findReceiver(ctx.db, merchantId)
  const state = stateOfReceiver(receiver)
  // Somebody may have set another address during the verification.
  if (state === 'healthy' || receiver?.url !== url) return null
  await recoverReceiver(ctx, { merchantId, url })
  return state
}

/** Returns `healthy` for null too: no row means that the receiver never failed. */
export function stateOfReceiver(
  receiver: ReceiverState | null,
): 'healthy' | 'failing' | 'resting' | 'paused' {
  if (receiver?.pausedAt) return 'paused'
  if (receiver && isResting(receiver)) return 'resting'
  return receiver && receiver.failures > 0 ? 'failing' : 'healthy'
}

export type ReceiverHealth = {
  receiver: ReceiverRecord | null
  /** The latest failed attempt with advice. Null if the receiver is healthy. */
  lastFailure: (DeliveryRecord & { advice: string }) | null
  /** `waiting`: events still to be sent. `givenUp`: events that are sent only if somebody replays them. */
  waiting: number
  givenUp: number
}

/** Returns the health of the merchant's callback URL, or null if the merchant has none. */
export async function findReceiverOf(ctx: Context, merchantId: string): Promise<ReceiverRecord | null> {
  return findReceiver(ctx.db, merchantId)
}

/** Returns the health with the latest failure and the number of undelivered events. */
export async function getReceiverHealth(ctx: Context, merchantId: string): Promise<ReceiverHealth> {
  const [receiver, { waiting, givenUp }] = await Promise.all([
    findReceiver(ctx.db, merchantId),
    countUndelivered(ctx.db, merchantId),
  ])
  const isInTrouble = receiver !== null && stateOfReceiver(receiver) !== 'healthy'
  const failed = isInTrouble ? await findLastFailure(ctx.db, merchantId, receiver.url) : null
  return {
    receiver,
    lastFailure: failed && { ...failed, advice: adviceText(failed) },
    waiting,
    givenUp,
  }
}

/** Returns up to RESTING_MAX receivers that are resting or paused, of these merchants or of all. */
export async function listRestingReceivers(
  ctx: Context,
  merchantIds: string[] | null = null,
): Promise<ReceiverRecord[]> {
  return listRestingReceiverRecords(ctx.db, merchantIds, { failures: OPENS_AT_FAILURES, limit: RESTING_MAX })
}

/** @throws AppError validation_failed for an address to which no event may go */
export function checkReceiverUrl({ outbound }: Context, url: string): void {
  if (url !== ORDER_BOOK_URL) outbound.checkUrl(url)
}

/**
 * Sets where events go. Waiting events are sent there now, whatever happened to the address before. Returns the secret that signs
 * the events if the merchant had none in this world because it was created in the other one. Nobody can read the secret again
 * later. `seen`: the address that it replaces, as the person saw it; null for none. `secret`: the one to use instead of a new one.
 * @throws AppError validation_failed for an address that is not allowed, or if another one was set meanwhile; not_found for an unknown
 *   merchant
 */
export async function setCallback(
  ctx: Context,
  merchantId: string,
  callbackUrl: string,
  { seen, secret }: { seen?: string | null | undefined; secret?: string | undefined } = {},
): Promise<{ webhookSecret: string | null }> {
  checkReceiverUrl(ctx, callbackUrl)
  await getMerchant(ctx, merchantId)
  return inTransaction(ctx.db, async (tx) => {
    await lockMerchant(tx, merchantId)
    const isSigned = await hasReceiverSecret(ctx, merchantId, tx)
    if (seen !== undefined) await expectUrl(tx, merchantId, seen)
    const before = await urlOf(tx, merchantId)
    if (before !== callbackUrl) await noteCallbackEvidence(ctx, tx, merchantId, null)
    if (before !== null && before !== callbackUrl) await notifyOwner(ctx, tx, merchantId, 'callback')
    const isFirstBook = before === null && callbackUrl === ORDER_BOOK_URL
    await setReceiverUrl(
      tx,
      merchantId,
      callbackUrl,
      isFirstBook ? await takingIn(ctx, tx, merchantId) : null,
    )
    await bringWaitingEventsForward(tx, merchantId, ctx.clock.now())
    return { webhookSecret: isSigned ? null : await addWebhookSecret(ctx, tx, merchantId, secret) }
  })
}

/**
 * Stores whether this address is proved to receive events. Does nothing if another address was set meanwhile: a check of the old one
 * says nothing about the new one.
 */
export async function noteVerified(
  ctx: Context,
  { merchantId, url }: ReceiverAddress,
  { isProved }: { isProved: boolean },
): Promise<void> {
  await inTransaction(ctx.db, async (tx) => {
    await lockMerchant(tx, merchantId)
    if ((await urlOf(tx, merchantId)) === url)
      await noteCallbackEvidence(ctx, tx, merchantId, isProved ? url : null)
  })
}

const urlOf = async (tx: Tx, merchantId: string) => (await findReceiver(tx, merchantId))?.url ?? null

/** Asks under the merchant's lock. @throws AppError validation_failed */
async function expectUrl(tx: Tx, merchantId: string, seen: string | null): Promise<void> {
  const url = await urlOf(tx, merchantId)
  if (url === seen) return
  throw new AppError('validation_failed', {
    reason: seen === null ? 'callback_is_set' : 'changed_meanwhile',
    message: `Events go to ${url === null ? 'no address' : withoutQuery(url)} by now. Whoever runs the service can change that.`,
  })
}
