/** Events, as sent to the receiver of a merchant, and the attempts to deliver them. */
import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'
import type { Word } from '../rows.ts'

export type EventState = Word<'event_state'>
const FIELDS = fieldsOf('events', [
  'merchantId',
  'id',
  'paymentId',
  'sequence',
  'status',
  /** The exact text that every attempt sends. */
  'body',
  'state',
  /** How many attempts have ended. */
  'attempts',
  /** How many attempts had ended when the current run of the schedule began. */
  'scheduleFrom',
  /** When it is to be sent next, by the application's clock. Null if it is not to be sent. */
  'dueAt',
  'createdAt',
  'deliveredAt',
])
export type EventRecord = RecordOf<'events', typeof FIELDS>

const COLUMNS = selected(FIELDS)

const NEW = FIELDS.filter((each) => each !== 'attempts' && each !== 'scheduleFrom' && each !== 'deliveredAt')

export const insertEvent = statement('insert_event', insertInto('events', NEW)).run(valuesOf('events', NEW))

export const listPaymentEvents = statement<EventRecord>(
  'list_payment_events',
  `select ${COLUMNS} from world.events where merchant_id = $1 and payment_id = $2 order by sequence`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** Stores the result of a failed attempt. An event that was delivered in the meantime stays delivered. */
export const updateEventAttempt = statement(
  'record_event_attempt',
  `update world.events set attempts = greatest(attempts, $3), schedule_from = $4, state = $5, due_at = $6, lease_until = null
   where merchant_id = $1 and id = $2 and state <> 'delivered'`,
).run((event: Pick<EventRecord, 'merchantId' | 'id' | 'attempts' | 'scheduleFrom' | 'state' | 'dueAt'>) => {
  const { merchantId, id, attempts, scheduleFrom, state, dueAt } = event
  return [merchantId, id, attempts, scheduleFrom, state, dueAt]
})

const DELIVERY_FIELDS = fieldsOf('deliveries', [
  'merchantId',
  'eventId',
  'attempt',
  'url',
  'statusCode',
  'durationMs',
  'failure',
  'responseStart',
  'createdAt',
])
/** One attempt to deliver an event. `responseStart`: the first bytes of the response. The sender limits their number. */
export type DeliveryRecord = RecordOf<'deliveries', typeof DELIVERY_FIELDS>

const DELIVERY_COLUMNS = selected(DELIVERY_FIELDS)

export const insertDelivery = statement(
  'insert_delivery',
  `${insertInto('deliveries', DELIVERY_FIELDS)} on conflict do nothing`,
).run(valuesOf('deliveries', DELIVERY_FIELDS))

export const listDeliveries = statement<DeliveryRecord>(
  'list_deliveries',
  `select ${DELIVERY_COLUMNS} from world.deliveries where merchant_id = $1 and event_id = $2 order by attempt`,
).all((merchantId: string, eventId: string) => [merchantId, eventId])

/** Returns the attempts of all events of one payment. */
export const listPaymentDeliveries = statement<DeliveryRecord>(
  'list_payment_deliveries',
  `select ${DELIVERY_COLUMNS} from world.deliveries where merchant_id = $1 and event_id in (
     select id from world.events where merchant_id = $1 and payment_id = $2) order by event_id, attempt`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** Returns the latest failed attempt at this URL. It reads all attempts of the merchant, so it is not for the hot path. */
export const findLastFailure = statement<DeliveryRecord>(
  'find_last_failed_delivery',
  `select ${DELIVERY_COLUMNS} from world.deliveries
   where merchant_id = $1 and url = $2 and (status_code is null or status_code not between 200 and 299)
   order by created_at desc, attempt desc limit 1`,
).first((merchantId: string, url: string) => [merchantId, url])
