import type { Mode } from '../contract/health.ts'
import type { PaymentStatus } from '../contract/payment.ts'
import { type Queryable, statement } from './db.ts'

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
  /** Attempts finished so far. */
  attempts: number
  createdAt: Date
  deliveredAt: Date | null
}

const COLUMNS = `merchant_id as "merchantId", id, payment_id as "paymentId", sequence, status, body, state, attempts,
  created_at as "createdAt", delivered_at as "deliveredAt"`

const insert = statement(
  'insert_event',
  `insert into events (merchant_id, id, payment_id, sequence, status, body, mode, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
)
const byId = statement<EventRecord>(
  'find_event',
  `select ${COLUMNS} from events where merchant_id = $1 and id = $2`,
)
const ofPayment = statement<EventRecord>(
  'list_payment_events',
  `select ${COLUMNS} from events where merchant_id = $1 and payment_id = $2 order by sequence`,
)
const acceptedTest = statement<{ paymentId: string; deliveredAt: Date }>(
  'find_accepted_test_event',
  `select payment_id as "paymentId", delivered_at as "deliveredAt" from events
   where merchant_id = $1 and status = 'paid' and state = 'delivered' and mode = 'sandbox' order by id limit 1`,
)
const earlier = statement<{ id: string }>(
  'find_earlier_unsent_event',
  `select id from events where merchant_id = $1 and payment_id = $2 and sequence < $3
   and state = 'pending' and attempts = 0 limit 1`,
)
const record = statement(
  'record_event_attempt',
  `update events set attempts = greatest(attempts, $3), state = $4,
     delivered_at = case when $4 = 'delivered' then coalesce(delivered_at, $5) else delivered_at end
   where merchant_id = $1 and id = $2 and state <> 'delivered'`,
)

type NewEvent = Omit<EventRecord, 'state' | 'attempts' | 'deliveredAt'> & {
  /** The mode of the service that writes it. */
  mode: Mode
}

export async function insertEvent(db: Queryable, event: NewEvent): Promise<void> {
  const { merchantId, id, paymentId, sequence, status, body, mode, createdAt } = event
  await insert(db, [merchantId, id, paymentId, sequence, status, body, mode, createdAt])
}

export async function findEvent(db: Queryable, merchantId: string, id: string): Promise<EventRecord | null> {
  return (await byId(db, [merchantId, id]))[0] ?? null
}

export async function listPaymentEvents(
  db: Queryable,
  merchantId: string,
  paymentId: string,
): Promise<EventRecord[]> {
  return ofPayment(db, [merchantId, paymentId])
}

/** The first payment that was paid in sandbox mode and of which the merchant accepted the event. */
export async function findAcceptedTestEvent(
  db: Queryable,
  merchantId: string,
): Promise<{ paymentId: string; deliveredAt: Date } | null> {
  return (await acceptedTest(db, [merchantId]))[0] ?? null
}

/** True while an earlier event of the same payment has not had its first attempt. */
export async function isEarlierEventUnsent(
  db: Queryable,
  event: Pick<EventRecord, 'merchantId' | 'paymentId' | 'sequence'>,
): Promise<boolean> {
  return (await earlier(db, [event.merchantId, event.paymentId, event.sequence])).length > 0
}

/** Notes the end of an attempt. An event that was delivered stays delivered. */
export async function updateEventState(
  db: Queryable,
  event: { merchantId: string; id: string },
  { attempts, state, at }: { attempts: number; state: EventState; at: Date },
): Promise<void> {
  await record(db, [event.merchantId, event.id, attempts, state, at])
}
