/** Events for an operator: one page of events, one event with every attempt, and how they are shown. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { oldestId } from '../id.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { listRestingReceivers, type ReceiverHealth, stateOfReceiver } from '../receivers/receiver.ts'
import {
  countEventStates,
  type EventSelection,
  type EventSummary,
  findEventById,
  listEvents as listEventRecords,
} from '../storage/events/event-history.ts'
import { type DeliveryRecord, type EventState, listDeliveries } from '../storage/events/events.ts'
import { findReceiver, type ReceiverRecord } from '../storage/events/receivers.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { WORDS } from '../storage/rows.ts'

export type { DeliveryRecord, EventState, EventSummary, ReceiverRecord }

export const EVENT_STATES = WORDS.event_state

/** Selects events. A field that is left out excludes nothing. */
export type EventFilter = {
  merchantId?: string | undefined
  paymentId?: string | undefined
  state?: EventState | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** Turns the filter into storage's form. @throws AppError not_found, payment_not_found */
export async function selectEvents(ctx: Context, filter: EventFilter): Promise<EventSelection> {
  const { merchantId = null, paymentId = null, state = null, since, until } = filter
  if (merchantId !== null) await getMerchant(ctx, merchantId)
  const payment = paymentId === null ? null : await findPaymentById(ctx.db, paymentId)
  if (paymentId !== null && !payment)
    throw new AppError('payment_not_found', { message: `There is no payment ${paymentId}.` })
  return {
    merchantId: merchantId ?? payment?.merchantId ?? null,
    paymentId,
    state,
    fromId: since ? oldestId(ctx.world, 'evt', since) : null,
    toId: until ? oldestId(ctx.world, 'evt', until) : null,
  }
}

/**
 * Newest first. `after`: the last id of the previous page. `next`: the `after` of the next page; null on the last page.
 * `resting`: the receivers that these events wait for.
 * @throws AppError not_found for an unknown `after` or merchant, payment_not_found
 */
export async function listEventPage(
  ctx: Context,
  { after, limit, ...filter }: EventFilter & { after?: string | undefined; limit: number },
): Promise<{ events: EventSummary[]; next: string | null; resting: ReceiverRecord[] }> {
  const selection = await selectEvents(ctx, filter)
  const toId = after === undefined ? null : (await getEvent(ctx, after)).event.id
  // One extra event tells whether another page follows.
  const { events: found, lookedTo } = await listEventRecords(ctx.db, { ...selection, toId }, limit + 1)
  const events = found.slice(0, limit)
  const resting = await listRestingReceivers(ctx, [...new Set(events.map((event) => event.merchantId))])
  return { events, next: found.length > limit ? (events.at(-1)?.id ?? null) : lookedTo, resting }
}

/** No more of a time are counted. */
export const EVENTS_COUNTED_MAX = 10_000

/** How many events of a merchant are in each state, those of some days or the newest. */
export async function countEvents(
  ctx: Context,
  { merchantId, since, until }: { merchantId: string; since?: Date | undefined; until?: Date | undefined },
): Promise<{ state: EventState; count: number }[]> {
  const idAt = (at: Date | undefined) => (at ? oldestId(ctx.world, 'evt', at) : null)
  const bounds = { fromId: idAt(since), toId: idAt(until), limit: EVENTS_COUNTED_MAX }
  return countEventStates(ctx.db, merchantId, bounds)
}

export type EventDetail = {
  event: EventSummary & { body: string }
  /** The attempts, oldest first. */
  deliveries: DeliveryRecord[]
  /** The state of the callback URL; null while no delivery has failed. */
  receiver: ReceiverRecord | null
}

/** @throws AppError not_found */
export async function getEvent(ctx: Context, eventId: string): Promise<EventDetail> {
  const event = await findEventById(ctx.db, eventId)
  if (!event)
    throw new AppError('not_found', {
      message: `There is no event ${eventId}.`,
      next: [{ act: 'list_events' }],
    })
  const [deliveries, receiver] = await Promise.all([
    listDeliveries(ctx.db, event.merchantId, eventId),
    findReceiver(ctx.db, event.merchantId),
  ])
  return { event, deliveries, receiver }
}

export function presentDelivery(delivery: DeliveryRecord) {
  const { attempt, url, statusCode, durationMs, failure, responseStart, createdAt } = delivery
  return { attempt, url, statusCode, durationMs, failure, responseStart, createdAt }
}

/** A receiver `rests` after several failures in a row, and is `paused` after days of them. At `probeAt` one event is tried. */
export function presentReceiver(receiver: ReceiverRecord | null) {
  const state = stateOfReceiver(receiver)
  if (!receiver) return { state }
  const { url, failures, failingSince, pausedAt, probeAt } = receiver
  return { state, url, failures, failingSince, pausedAt, probeAt }
}

export function presentReceiverHealth({ receiver, lastFailure, waiting, givenUp }: ReceiverHealth) {
  const failed = lastFailure && { ...presentDelivery(lastFailure), advice: lastFailure.advice }
  return { ...presentReceiver(receiver), lastFailure: failed, waiting, givenUp }
}

export function presentEventSummary({ id: eventId, dueAt: nextAttemptAt, ...rest }: EventSummary) {
  return { eventId, ...rest, nextAttemptAt }
}

/** `body` is the exact text that every attempt sends. */
export function presentEvent({ event: { body, ...summary }, deliveries, receiver }: EventDetail) {
  const attempts = deliveries.map(presentDelivery)
  return { ...presentEventSummary(summary), body, deliveries: attempts, receiver: presentReceiver(receiver) }
}

/** When a due event is sent. A resting receiver gets nothing before it is tried again. */
export function sendingTime(dueAt: Date, resting: ReceiverRecord | null | undefined): Date {
  return resting?.probeAt && dueAt < resting.probeAt ? resting.probeAt : dueAt
}
