import type { PaymentStatus } from '../../contract/payment.ts'
import { statement } from '../db.ts'

export type EventState = 'pending' | 'delivered' | 'exhausted' | 'unaddressed'
export type EventRecord = {
  merchantId: string
  id: string
  paymentId: string
  sequence: number
  status: PaymentStatus
  /** The exact text that every attempt sends. */
  body: string
  state: EventState
  /** How many attempts have ended. */
  attempts: number
  /** How many attempts had ended when the current run of the schedule began. */
  scheduleFrom: number
  /** When it is to be sent next, by the application's clock. Null if it is not to be sent. */
  dueAt: Date | null
  createdAt: Date
  deliveredAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", id, payment_id as "paymentId", sequence, status, body, state, attempts,
  schedule_from as "scheduleFrom", due_at as "dueAt", created_at as "createdAt", delivered_at as "deliveredAt"`

type NewEvent = Omit<EventRecord, 'attempts' | 'scheduleFrom' | 'deliveredAt'>

export const insertEvent = statement(
  'insert_event',
  `insert into world.events (merchant_id, id, payment_id, sequence, status, body, state, due_at, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
).run((event: NewEvent) => {
  const { merchantId, id, paymentId, sequence, status, body, state, dueAt, createdAt } = event
  return [merchantId, id, paymentId, sequence, status, body, state, dueAt, createdAt]
})

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
