/** A merchant's events as an operator looks at them: a page of them, and one with every attempt. */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { oldestId } from '../id.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { listRestingReceivers } from '../receivers/receiver.ts'
import { type DeliveryRecord, listDeliveries } from '../storage/events/deliveries.ts'
import {
  type EventSelection,
  type EventSummary,
  findEventById,
  listEvents as listEventRecords,
} from '../storage/events/event-history.ts'
import type { EventState } from '../storage/events/events.ts'
import { findReceiver, type ReceiverRecord } from '../storage/events/receivers.ts'
import { findPaymentById } from '../storage/payments/payments.ts'

export type { DeliveryRecord, EventState, EventSummary, ReceiverRecord }

export const EVENT_STATES = [
  'pending',
  'delivered',
  'exhausted',
  'unaddressed',
] as const satisfies readonly EventState[]

/** Which events are meant. What is left out excludes nothing. */
export type EventFilter = {
  merchantId?: string | undefined
  paymentId?: string | undefined
  state?: EventState | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** The same as storage takes it. @throws AppError for a merchant or a payment that is not there. */
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
 * Newest first. `after`: the last id of the page before; `next`: what to give as `after` for the page that follows, null
 * on the last page; `resting`: the receivers at which these events wait. @throws AppError not_found for an unknown `after`, and what `selectEvents` throws.
 */
export async function listEventPage(
  ctx: Context,
  { after, limit, ...filter }: EventFilter & { after?: string | undefined; limit: number },
): Promise<{ events: EventSummary[]; next: string | null; resting: ReceiverRecord[] }> {
  const selection = await selectEvents(ctx, filter)
  const toId = after === undefined ? null : (await getEvent(ctx, after)).event.id
  // One more than asked for tells whether a page follows.
  const found = await listEventRecords(ctx.db, { ...selection, toId }, limit + 1)
  const events = found.slice(0, limit)
  const resting = await listRestingReceivers(ctx, [...new Set(events.map((event) => event.merchantId))])
  return { events, next: found.length > limit ? (events.at(-1)?.id ?? null) : null, resting }
}

export type EventDetail = {
  event: EventSummary & { body: string }
  /** The attempts made, oldest first. */
  deliveries: DeliveryRecord[]
  /** How the callback URL fares; null while nothing is known against it. */
  receiver: ReceiverRecord | null
}

/** @throws AppError not_found */
export async function getEvent(ctx: Context, eventId: string): Promise<EventDetail> {
  const event = await findEventById(ctx.db, eventId)
  if (!event)
    throw new AppError('not_found', {
      message: `There is no event ${eventId}.`,
      hint: 'The newest ones: npm run -s admin -- event list',
    })
  const [deliveries, receiver] = await Promise.all([
    listDeliveries(ctx.db, event.merchantId, eventId),
    findReceiver(ctx.db, event.merchantId),
  ])
  return { event, deliveries, receiver }
}
