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
