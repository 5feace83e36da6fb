/** Makes the lists of a shop and of the deployment long: copies of what the examples made once, by statements over whole tables. */
import { askReview } from '../../operator/shop/reviews.ts'
import { type Db, withoutTimeLimits } from '../../storage/db.ts'
import type { Examples } from '../console-examples.ts'
import type { Kassa, Shop } from '../harness.ts'
import { storeShortAddress } from '../pages/short-address.ts'

/** How many copies of each kind there will be. */
export type Lengths = Partial<Record<Kind | 'audit', number>>

/**
 * `of`: which rows are copied, by the ids of the examples. `changed`: what is different in the copy `n`. `beside`: rows with the same
 * numbers. The first table has what the others refer to.
 */
type Copied = { table: string; of(ids: Ids): string; changed: Record<string, string>; beside?: string }
type Ids = { shop: Shop; own(key: string): string }

const suffixed = (column: string) => `t.${column} || '-' || n`
/** An id of the same length. */
const renumbered = (column: string) => `left(t.${column}, -7) || lpad(n::text, 7, '0')`

const KINDS = {
  orders: [
    {
      table: 'sandbox.orders',
      of: ({ own }) => `t.id = '${own('orders/:order')}'`,
      changed: {
        id: renumbered('id'),
        reference: suffixed('reference'),
        payment_id: suffixed('payment_id'),
        number: `lpad(n::text, 8, 'x')`,
        created_at: `t.created_at - n * interval '1 second'`,
      },
    },
    {
      table: 'sandbox.order_payments',
      of: ({ own }) => `t.reference = '${own('orders/:order')}'`,
      changed: {
        payment_id: suffixed('payment_id'),
        reference: suffixed('reference'),
        due_at: 'null',
        buyer: `jsonb_build_object('customer', jsonb_build_object('name', 'Buyer ' || n, 'email', 'buyer.' || n || '@mail.example',
          'phone', '+374 99 ' || lpad((n::bigint * 7919 % 1000000)::text, 6, '0')))`,
      },
    },
  ],
  events: [
    {
      table: 'sandbox.events',
      of: ({ own }) => `t.id = '${own('events/:event')}'`,
      // Each belongs to another payment, as most do.
      changed: {
        id: renumbered('id'),
        payment_id: 'coalesce(beside.id, t.payment_id)',
        sequence: '1000 + n',
      },
      beside: `select row_number() over () as n, id from sandbox.payments where merchant_id = ':shop'`,
    },
  ],
  subscriptions: [
    {
      table: 'sandbox.subscriptions',
      of: ({ own }) => `t.id = '${own('subscriptions/:subscription')}'`,
      changed: {
        id: renumbered('id'),
        merchant_subscription_id: suffixed('merchant_subscription_id'),
        operation_id: suffixed('operation_id'),
        due_at: 'null',
      },
    },
  ],
  products: [
    {
      table: 'sandbox.products',
      of: ({ own }) => `t.id = '${own('products/:product')}'`,
      changed: { id: suffixed('id'), name: `t.name || ' ' || n` },
    },
  ],
  cases: [
    {
      table: 'sandbox.payments',
      of: ({ own }) => `t.id = '${own(':kind/:case')}'`,
      changed: { id: renumbered('id'), merchant_order_id: suffixed('merchant_order_id') },
    },
    {
      table: 'sandbox.attempts',
      of: ({ own }) => `t.payment_id = '${own(':kind/:case')}'`,
      changed: {
        payment_id: renumbered('payment_id'),
        reference: renumbered('reference'),
        question_due_at: 'null',
      },
    },
  ],
  approvals: [
    {
      table: 'kassa.proposals',
      of: ({ own }) => `t.id = '${own('approvals/:approval')}'`,
      changed: { id: renumbered('id') },
    },
  ],
  people: [
    {
      table: 'kassa.operators',
      of: ({ own }) => `t.id = '${own('users/:user')}'`,
      changed: { id: renumbered('id'), name: `t.name || ' ' || n`, key_digest: 'null' },
    },
    {
      table: 'kassa.console_users',
      of: ({ own }) => `t.operator_id = '${own('users/:user')}'`,
      changed: { operator_id: renumbered('operator_id'), email: `n || t.email` },
    },
  ],
  merchants: [
    {
      table: 'kassa.merchants',
      of: ({ shop }) => `t.id = '${shop.merchantId}'`,
      changed: { id: renumbered('id'), name: `t.name || ' ' || n` },
    },
  ],
  accounts: [
    {
      table: 'sandbox.accounts',
      of: ({ own }) => `t.id = '${own('accounts/:account')}'`,
      changed: { id: renumbered('id'), identity: suffixed('identity'), retired_at: 'now()' },
    },
  ],
  reviews: [
    {
      table: 'kassa.domain_requests',
      of: ({ shop }) => `t.merchant_id = '${shop.merchantId}' and t.origin = '${ORIGIN}'`,
      // Each belongs to another shop, because a shop may ask for few.
      changed: {
        merchant_id: 'coalesce(beside.id, t.merchant_id)',
        origin: `'https://shop-' || n || '.example'`,
        asked_at: `t.asked_at + n * interval '1 second'`,
      },
      beside: 'select row_number() over (order by id desc) as n, id from kassa.merchants',
    },
  ],
  names: [
    {
      table: 'sandbox.short_addresses',
      of: ({ shop }) => `t.merchant_id = '${shop.merchantId}' and t.name = '${NAME}'`,
      changed: { folded: suffixed('folded'), name: suffixed('name') },
    },
  ],
} as const satisfies Record<string, readonly Copied[]>
type Kind = keyof typeof KINDS

const ORIGIN = 'https://asked.example'
const NAME = 'example-name'

/** Appends so many copies. `from`: how many there are already. */
export async function lengthenLists(
  { ctx }: Kassa,
  { shop, examples, from = {}, to }: { shop: Shop; examples: Examples; from?: Lengths; to: Lengths },
): Promise<void> {
  const { merchantId } = shop
  const productId = examples['products/:product']?.own ?? ''
  if (to.reviews) await askReview(ctx, merchantId, ORIGIN)
  if (to.names && !from.names) await storeShortAddress(ctx.db, shop, { name: NAME, productId })
  const ids: Ids = { shop, own: (key) => examples[key]?.own ?? '' }
  const { audit = 0, ...kinds } = to
  for (const [kind, count] of Object.entries(kinds) as [Kind, number][])
    for (const copied of KINDS[kind]) await copyRows(ctx.db, copied, ids, from[kind] ?? 0, count)
  await appendActs(ctx.db, merchantId, audit - (from.audit ?? 0))
  await withoutTimeLimits(ctx.db, (client) => client.query('analyze'))
}

async function copyRows(
  db: Db,
  { table, of, changed, beside }: Copied,
  ids: Ids,
  from: number,
  count: number,
): Promise<void> {
  const [schema, name] = table.split('.')
  await withoutTimeLimits(db, async (client) => {
    const { rows: columns } = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = $1 and table_name = $2 and is_generated = 'NEVER'`,
      [schema, name],
    )
    const values = columns.map(({ name: column }) => changed[column] ?? `t.${column}`)
    const others = beside
      ? `left join (${beside.replaceAll(':shop', ids.shop.merchantId)}) beside using (n)`
      : ''
    // The settings of the service leave only a nested loop for the rows beside.
    await client.query('set enable_hashjoin = on')
    await client.query(`alter table ${table} disable trigger user`)
    const { rowCount } = await client.query(
      `insert into ${table} (${columns.map((each) => each.name).join(', ')}) overriding system value
       select ${values.join(', ')} from ${table} t cross join generate_series(${from + 1}, ${count}) as numbers (n) ${others} where ${of(ids)}`,
    )
    await client.query(`alter table ${table} enable trigger user`)
    if (rowCount !== count - from)
      throw new Error(`${table}: ${rowCount} copies in the place of ${count - from}`)
  })
}

/** The log belongs to another role, so its own function appends. */
async function appendActs(db: Db, merchantId: string, count: number): Promise<void> {
  const act = JSON.stringify({
    id: 'act_example',
    who: 'An example',
    what: 'payment refund',
    from: 'console',
  })
  await withoutTimeLimits(db, (client) =>
    client.query(
      `select kassa.append_audit($1, 'sandbox', $2, 'payment ' || n, null, null) from generate_series(1, $3::int) n`,
      [act, merchantId, count],
    ),
  )
}
