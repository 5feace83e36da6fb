/** What a merchant has open in a world. Each count reads an index that has only open rows. */
import type { World } from '../../contract/health.ts'
import { type Queryable, statement } from '../db.ts'

/** More than this many are not counted. */
const OPEN_WORK_MAX = 1_000

const upTo = (rows: string) => `(select count(*)::int from (${rows} limit ${OPEN_WORK_MAX}) found)`
const withStatus = (status: string) =>
  upTo(`select from world.payments where status = '${status}' and merchant_id = $1`)

/** Each at most OPEN_WORK_MAX. */
export type MerchantWork = {
  /** Payments that can still be paid. */
  openPayments: number
  /** Payments whose money is held, and neither taken nor released. */
  heldPayments: number
  undecidedPayments: number
  disputedPayments: number
  openOperations: number
  runningSubscriptions: number
}

const findWork = statement<MerchantWork>(
  'find_merchant_work',
  `select ${upTo(`select from world.attempts a join world.payments p on p.merchant_id = a.merchant_id and p.id = a.payment_id
     where a.merchant_id = $1 and a.state in ('planned', 'opening', 'open') and p.status in ('created', 'pending_redirect', 'pending_payment')`)} as "openPayments",
     ${withStatus('authorized')} as "heldPayments",
     ${withStatus('status_unknown')} as "undecidedPayments",
     ${withStatus('disputed')} as "disputedPayments",
     ${upTo(`select from world.operations where merchant_id = $1 and status in ('queued', 'processing', 'requires_operator_review')`)} as "openOperations",
     ${upTo(`select from world.subscriptions where merchant_id = $1 and status <> 'cancelled'`)} as "runningSubscriptions"`,
).row((merchantId: string) => [merchantId])

/** In any world of the database, whichever one the connection works for. */
export const findMerchantWork = (db: Queryable, world: World, merchantId: string): Promise<MerchantWork> =>
  findWork({ query: db.query.bind(db) as Queryable['query'], world, named: db.named }, merchantId)
