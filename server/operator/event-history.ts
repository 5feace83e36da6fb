/** Events for an operator: one page of events, and one event with every attempt. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { oldestId } from '../id.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { listRestingReceivers } from '../receivers/receiver.ts'
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
