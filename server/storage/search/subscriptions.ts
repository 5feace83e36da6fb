/** The lists of subscriptions, the newest first. */
import type { SubscriptionStatus } from '../../contract/subscription.ts'
import { type Queryable, statement } from '../db.ts'
import { lastScanned, scanForRows } from '../looked.ts'
import { SUBSCRIPTION_COLUMNS, type SubscriptionRecord } from '../payments/subscriptions.ts'

const page = statement<SubscriptionRecord>(
  'list_subscriptions',
  `select ${SUBSCRIPTION_COLUMNS} from world.subscriptions where ($1::text is null or id < $1) and ($2::text is null or status = $2)
   order by id desc limit $3`,
)
/** How many subscriptions of a merchant one page looks at for those of a status. */
const LOOKED_MAX = 5_000
const OWN = `merchant_id = $1 and id < coalesce($2::text, 'sv') order by id desc`
// Shops differ in size. One plan for all of them would read the subscriptions of everybody for a small one.
const unprepared = { isPrepared: false }
const newestOfMerchant = statement<SubscriptionRecord>(
  'list_subscriptions_of_merchant',
  `select ${SUBSCRIPTION_COLUMNS} from world.subscriptions where ${OWN} limit $3`,
  unprepared,
)
const inStatus = statement<SubscriptionRecord>(
  'list_subscriptions_in_status',
  `select ${SUBSCRIPTION_COLUMNS} from (select * from world.subscriptions where ${OWN} limit ${LOOKED_MAX}) looked
   where status = $4 order by id desc limit $3`,
  unprepared,
)
const lastLooked = lastScanned(
  'find_last_subscription_looked_at',
  `select id from world.subscriptions where ${OWN} limit ${LOOKED_MAX}`,
  { rowsMax: LOOKED_MAX },
  unprepared,
)

/**
 * Newest first. `after`: the last id of the page before. `lookedTo`: where the look for those of a status stopped, although fewer than
 * `limit` were found, because it has looked at LOOKED_MAX. Null if there are no more.
 */
export async function listSubscriptions(
  db: Queryable,
  filter: {
    merchantId?: string | undefined
    after?: string | undefined
    status?: SubscriptionStatus | undefined
    limit: number
  },
): Promise<{ subscriptions: SubscriptionRecord[]; lookedTo: string | null }> {
  const { merchantId, after = null, status = null, limit } = filter
  if (merchantId === undefined)
    return { subscriptions: await page(db, [after, status, limit]), lookedTo: null }
  const own = [merchantId, after, limit]
  if (status === null) return { subscriptions: await newestOfMerchant(db, own), lookedTo: null }
  const { rows, lookedTo } = await scanForRows([LOOKED_MAX], limit, {
    page: () => inStatus(db, [...own, status]),
    last: () => lastLooked(db, [merchantId, after]),
  })
  return { subscriptions: rows, lookedTo }
}
