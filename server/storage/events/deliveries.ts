import { statement } from '../db.ts'

/** One attempt to deliver an event. `responseStart`: the first bytes of the response. The sender limits their number. */
export type DeliveryRecord = {
  merchantId: string
  eventId: string
  attempt: number
  url: string
  statusCode: number | null
  durationMs: number
  failure: string | null
  responseStart: string | null
  createdAt: Date
}

const COLUMNS = `merchant_id as "merchantId", event_id as "eventId", attempt, url, status_code as "statusCode",
  duration_ms as "durationMs", failure, response_start as "responseStart", created_at as "createdAt"`

export const insertDelivery = statement(
  'insert_delivery',
  `insert into world.deliveries (merchant_id, event_id, attempt, url, status_code, duration_ms, failure, response_start, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`,
).run((record: DeliveryRecord) => {
  const { merchantId, eventId, attempt, url, statusCode, durationMs, failure, responseStart, createdAt } =
    record
  return [merchantId, eventId, attempt, url, statusCode, durationMs, failure, responseStart, createdAt]
})

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
