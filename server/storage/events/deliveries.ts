import { statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, selected, valuesOf } from '../fields.ts'

const FIELDS = fieldsOf('deliveries', [
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
export type DeliveryRecord = RecordOf<'deliveries', typeof FIELDS>

const COLUMNS = selected(FIELDS)

export const insertDelivery = statement(
  'insert_delivery',
  `${insertInto('deliveries', FIELDS)} on conflict do nothing`,
).run(valuesOf('deliveries', FIELDS))

export const listDeliveries = statement<DeliveryRecord>(
  'list_deliveries',
  `select ${COLUMNS} from world.deliveries where merchant_id = $1 and event_id = $2 order by attempt`,
).all((merchantId: string, eventId: string) => [merchantId, eventId])

/** Returns the attempts of all events of one payment. */
export const listPaymentDeliveries = statement<DeliveryRecord>(
  'list_payment_deliveries',
  `select ${COLUMNS} from world.deliveries where merchant_id = $1 and event_id in (
     select id from world.events where merchant_id = $1 and payment_id = $2) order by event_id, attempt`,
).all((merchantId: string, paymentId: string) => [merchantId, paymentId])

/** Returns the latest failed attempt at this URL. It reads all attempts of the merchant, so it is not for the hot path. */
export const findLastFailure = statement<DeliveryRecord>(
  'find_last_failed_delivery',
  `select ${COLUMNS} from world.deliveries
   where merchant_id = $1 and url = $2 and (status_code is null or status_code not between 200 and 299)
   order by created_at desc, attempt desc limit 1`,
).first((merchantId: string, url: string) => [merchantId, url])
