/** Calls of the API that a limit of refunds has refused. One row for each token, however many calls there are. */
import { statement } from '../db.ts'
import { fieldsOf, type RecordOf, selected } from '../fields.ts'

const FIELDS = fieldsOf('refund_refusals', [
  'merchantId',
  'tokenId',
  'currency',
  'paymentId',
  'amountMinor',
  'calls',
  'since',
  'settledAt',
  'settledBy',
  'settledWhy',
])
/** `paymentId`, `amountMinor`, `currency`: of the latest call. `since`: of the first call that nobody has read of. */
export type RefundRefusal = RecordOf<'refund_refusals', typeof FIELDS>

const COLUMNS = selected(FIELDS)

type Refused = Pick<RefundRefusal, 'merchantId' | 'tokenId' | 'currency' | 'paymentId' | 'amountMinor'>

/** A call after a person has read of the earlier ones is a case again. */
export const noteRefundRefusal = statement(
  'note_refund_refusal',
  `insert into world.refund_refusals as r (merchant_id, token_id, currency, payment_id, amount_minor, calls, since, last_at)
   values ($1, $2, $3, $4, $5, 1, $6, $6)
   on conflict (token_id) do update set payment_id = excluded.payment_id, amount_minor = excluded.amount_minor,
     currency = excluded.currency, last_at = excluded.last_at,
     calls = case when r.settled_at is null then r.calls else 0 end + 1,
     since = case when r.settled_at is null then r.since else excluded.since end,
     settled_at = null, settled_by = null, settled_why = null`,
).run((refused: Refused, at: Date) => {
  const { merchantId, tokenId, currency, paymentId, amountMinor } = refused
  return [merchantId, tokenId, currency, paymentId, amountMinor, at]
})

export const findRefundRefusal = statement<RefundRefusal>(
  'find_refund_refusal',
  `select ${COLUMNS} from world.refund_refusals where token_id = $1`,
).first((tokenId: string) => [tokenId])

/** `calls`: as many as the person has seen; null for all. Returns null if nothing is open. */
export const settleRefundRefusal = statement<RefundRefusal>(
  'settle_refund_refusal',
  `update world.refund_refusals set settled_at = $2, settled_by = $3, settled_why = $4
   where token_id = $1 and settled_at is null and ($5::integer is null or calls = $5) returning ${COLUMNS}`,
).first(
  (tokenId: string, { at, by, why, calls }: { at: Date; by: string; why: string; calls: number | null }) => [
    tokenId,
    at,
    by,
    why,
    calls,
  ],
)
