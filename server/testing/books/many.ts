/**
 * Copies real payments by statements over whole tables, so that a test has as many as a large deployment. Each copy has an id, an
 * order, a customer, a sum, a card and references of its own.
 */
import { newId, referenceOf } from '../../id.ts'
import { type Db, type Tx, withoutTimeLimits } from '../../storage/db.ts'

const BATCH = 50_000
const SPAN_DAYS = 400
const DAY_MS = 86_400_000

const FIRST = ['Ani', 'Maria', 'Անի', 'Мария', 'John', 'Gor', 'Nare', 'Lilit', 'Tigran', 'Olga']
const LAST = ['Petrosyan', 'Karapetyan', 'Կարապետյան', 'Петросян', 'Smith', 'Sargsyan', 'Grigoryan']
const DOMAINS = ['mail.example', 'shop.example', 'post.example']
const listed = (names: string[]) => `array[${names.map((name) => `'${name}'`).join(', ')}]`
const oneOf = (names: string[], at: string) => `(${listed(names)})[1 + (${at}) % ${names.length}]`

const shifted = (...columns: string[]) =>
  Object.fromEntries(columns.map((name) => [name, `t.${name} - m.back`]))
const raised = (...columns: string[]) =>
  Object.fromEntries(
    columns.map((name) => [name, `t.${name} + case when t.${name} > 0 then m.extra else 0 end`]),
  )

/** What is different in a copy, for each table. `m`: the copy. `t`: the row that is copied. */
const COPIES: Record<string, { of: string; changed: Record<string, string> }> = {
  payments: {
    of: 'id',
    changed: {
      ...raised('amount_minor', 'authorized_minor', 'captured_minor'),
      ...shifted('created_at', 'updated_at', 'expires_at'),
      id: 'm.id',
      merchant_order_id: `${oneOf(['ORD-', 'SHOP-', 'INV/2026-', 'tea '], 'm.n')} || lpad(m.n::text, 7, '0')`,
      customer: `jsonb_build_object('email', 'buyer.' || m.n || '@' || ${oneOf(DOMAINS, 'm.n / 7')},
        'phone', '+374 99 ' || lpad((m.n::bigint * 7919 % 1000000)::text, 6, '0'),
        'name', ${oneOf(FIRST, 'm.n / 3')} || ' ' || ${oneOf(LAST, 'm.n / 11')})`,
    },
  },
  attempts: {
    of: 'payment_id',
    changed: {
      ...raised('authorized_minor', 'captured_minor'),
      ...shifted('created_at', 'expires_at', 'opened_at', 'asked_at'),
      payment_id: 'm.id',
      reference: 'm.reference',
      question_due_at: 'null',
      facts: `regexp_replace(regexp_replace(t.facts::text, '"rrn": "[^"]*"', '"rrn": "' || (100000000000 + m.n) || '"'),
        '"4242"', '"' || lpad((m.n::bigint * 7919 % 10000)::text, 4, '0') || '"')::jsonb`,
    },
  },
  entries: {
    of: 'payment_id',
    changed: {
      ...shifted('created_at', 'moved_at'),
      payment_id: 'm.id',
      provider_id: `t.provider_id || '-' || m.n`,
      amount_minor: `t.amount_minor + case when t.kind in ('held', 'taken') then m.extra else 0 end`,
    },
  },
  payment_changes: { of: 'payment_id', changed: { ...shifted('created_at'), payment_id: 'm.id' } },
  operations: {
    of: 'payment_id',
    changed: {
      ...shifted('created_at', 'updated_at', 'sent_at'),
      payment_id: 'm.id',
      id: `t.id || '-' || m.n`,
      key: `t.key || '-' || m.n`,
      due_at: 'null',
    },
  },
}

/** `from`, `count`: the numbers of the copies. They are of the 400 days before `now`. Every thousandth has a warning. */
export async function copyPayments(
  db: Db,
  { from, count, total, now }: { from: number; count: number; total: number; now: Date },
): Promise<void> {
  await withoutTimeLimits(db, async (client) => {
    const { rows: templates } = await client.query<{ id: string; merchantId: string; createdAt: Date }>(
      `select id, merchant_id as "merchantId", created_at as "createdAt" from sandbox.payments
       where merchant_order_id like 'template%' order by id`,
    )
    await client.query(
      `create temporary table many (n integer, template text, id text, reference text, back interval, extra integer)`,
    )
    const tables = Object.keys(COPIES)
    for (const name of tables) await client.query(`alter table sandbox.${name} disable trigger user`)
    for (let begin = from; begin < from + count; begin += BATCH) {
      const copies = Array.from({ length: Math.min(BATCH, from + count - begin) }, (_, index) => {
        const n = begin + index
        // The size of the tables changes, and not how old the payments are.
        const ageMs = ((n * 7_919) % total) * ((SPAN_DAYS * DAY_MS) / total)
        const template = templates[n % templates.length] as (typeof templates)[number]
        const at = new Date(now.getTime() - 7_200_000 - ageMs)
        const id = newId('sandbox', 'pay', template.merchantId, at)
        return { n, template: template.id, id, backMs: template.createdAt.getTime() - at.getTime() }
      })
      await copyBatch(client, copies)
    }
    for (const name of tables) await client.query(`alter table sandbox.${name} enable trigger user`)
    await client.query(`insert into sandbox.payment_warnings (merchant_id, payment_id, detail, created_at, amount_minor)
      select t.merchant_id, m.id, 'a report that cannot be true', now(), t.amount_minor from many m
        join sandbox.payments t on t.id = m.id where m.n % 1000 = 0`)
    await client.query('drop table many')
    await client.query('analyze')
  })
}

type Copy = { n: number; template: string; id: string; backMs: number }

async function copyBatch(client: Tx, copies: Copy[]): Promise<void> {
  const rows = [
    copies.map(({ n }) => n),
    copies.map(({ template }) => template),
    copies.map(({ id }) => id),
    copies.map(({ id }) => referenceOf(id)),
    copies.map(({ backMs }) => backMs),
    copies.map(({ n }) => (n * 131) % 90_000),
  ]
  const last = copies.at(-1)?.n ?? 0
  await client.query(
    `insert into many select n, template, id, reference, ms * interval '1 millisecond', extra
     from unnest($1::int[], $2::text[], $3::text[], $4::text[], $5::float8[], $6::int[])
       as given (n, template, id, reference, ms, extra)`,
    rows,
  )
  for (const [name, { of, changed }] of Object.entries(COPIES)) {
    const { rows: columns } = await client.query<{ name: string }>(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = 'sandbox' and table_name = $1`,
      [name],
    )
    const values = columns.map((column) => changed[column.name] ?? `t.${column.name}`)
    await client.query(
      `insert into sandbox.${name} (${columns.map((each) => each.name).join(', ')})
       select ${values.join(', ')} from many m join sandbox.${name} t on t.${of} = m.template
       where m.n > ${last - copies.length} and m.n <= ${last}`,
    )
  }
}
