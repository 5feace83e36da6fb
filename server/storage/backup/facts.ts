/** Questions to a whole world that a backup asks before it is written and after it is restored. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { World } from '../../contract/health.ts'
import { inWorld, type Queryable, type Tx } from '../db.ts'

export type Migration = { schema: string; name: string; digest: string }
export type MoneySum = {
  world: World
  status: string
  currency: string
  payments: number
  amountMinor: string
  capturedMinor: string
  refundedMinor: string
}

export async function listMigrations(tx: Tx): Promise<Migration[]> {
  const { rows } = await tx.query<Migration>(
    'select schema, name, digest from kassa.migrations order by schema, name',
  )
  return rows
}

export async function sumMoney(tx: Tx, world: World): Promise<MoneySum[]> {
  const text = `
    select status, currency, count(*)::int as payments, sum(amount_minor)::text as "amountMinor",
      sum(captured_minor)::text as "capturedMinor", sum(refunded_minor)::text as "refundedMinor"
    from world.payments group by 1, 2 order by 1, 2`
  const { rows } = await tx.query<Omit<MoneySum, 'world'>>(inWorld(text, world))
  return rows.map((row) => ({ world, ...row }))
}

/** The ids of the keys that seal secrets of this world. */
export async function listUsedKeyIds(tx: Tx, world: World): Promise<string[]> {
  const text =
    'select key_id as id from world.webhook_secrets union select key_id from world.account_credentials order by 1'
  return (await tx.query<{ id: string }>(inWorld(text, world))).rows.map(({ id }) => id)
}

/** Notes a completed backup, so that its age can be watched. */
export async function noteBackup(db: Queryable, directory: string, at: Date): Promise<void> {
  const text = 'insert into kassa.backups (made_at, directory) values ($1, $2) on conflict do nothing'
  await db.query(text, [at, directory])
}

/** Returns the age of the last backup in seconds, by the clock of the database; null if there is none. */
export async function measureBackupAge(db: Queryable): Promise<number | null> {
  const { rows } = await db.query<{ age: number | null }>(
    'select extract(epoch from clock_timestamp() - max(made_at))::float8 as age from kassa.backups',
  )
  return rows[0]?.age ?? null
}

/** Returns the directory of the last backup that was named by its time, where the next one belongs; null if there is none. */
export async function findBackupSeries(db: Queryable): Promise<string | null> {
  const { rows } = await db.query<{ series: string }>(
    `select substring(directory, '^(/.+)/kassa-backup-[0-9TZ]+$') as series from kassa.backups
     where directory ~ '^/.+/kassa-backup-[0-9TZ]+$' order by made_at desc limit 1`,
  )
  return rows[0]?.series ?? null
}

/** Whether the database holds anything that somebody would miss. Accounts of the settings come back by themselves. */
export async function holdsData(tx: Queryable): Promise<boolean> {
  const { rows: tables } = await tx.query<{ found: boolean }>(
    `select to_regclass('kassa.merchants') is not null as found`,
  )
  if (!tables[0]?.found) return false
  const { rows } = await tx.query<{ found: boolean }>('select exists (select from kassa.merchants) as found')
  return rows[0]?.found ?? false
}

/** How many connections other processes of Kassa have to this database. */
export async function countOthers(tx: Queryable, own: string): Promise<number> {
  const { rows } = await tx.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and application_name like 'kassa %' and application_name <> $1`,
    [own],
  )
  return rows[0]?.count ?? 0
}

/** PostgreSQL ends the connection of a killed process only after its current statement. */
const LEAVING_MS = 2_000
const LOOK_MS = 50

/** The same, after connections that are just ending have had the time to end. */
export async function countRemaining(tx: Queryable, own: string): Promise<number> {
  const untilMs = performance.now() + LEAVING_MS
  for (;;) {
    const others = await countOthers(tx, own)
    if (others === 0 || performance.now() >= untilMs) return others
    await sleep(LOOK_MS)
    // In a transaction PostgreSQL shows the connections as they were at the first look.
    await tx.query('select pg_stat_clear_snapshot()')
  }
}

/** The rules of each world, and how many rows break them. A broken rule means that money may be missing. */
const RULES: Record<string, string> = {
  'sums of money rise from refunded over captured to the amount': `
    select count(*)::int as count from world.payments
    where not (0 <= refunded_minor and refunded_minor <= captured_minor and captured_minor <= amount_minor)`,
  'the sums of each attempt are those of its entries, and those of each payment are those of its own attempt': `
    select count(*)::int as count from world.attempts a
      join world.payments p on p.merchant_id = a.merchant_id and p.id = a.payment_id
      cross join lateral world.entry_sums(a.merchant_id, a.payment_id, a.number) s
    where (a.authorized_minor > 0 or p.authorized_minor > 0 or exists (
        select from world.entries e where (e.merchant_id, e.payment_id) = (p.merchant_id, p.id)))
      and ((a.authorized_minor, a.captured_minor, a.refunded_minor, a.disputed_minor, a.dispute_lost_minor)
          <> (s.authorized, s.captured, s.refunded, s.disputed, s.dispute_lost)
        or a.number = p.attempt
          and (p.authorized_minor, p.captured_minor, p.refunded_minor) <> (s.authorized, s.captured, s.refunded))`,
  'the timeline of each payment ends with its state': `
    select count(*)::int as count from world.payments p
    where version > 0 and not exists (
      select from world.payment_changes c
      where (c.merchant_id, c.payment_id, c.version, c.to_status) = (p.merchant_id, p.id, p.version, p.status))`,
  'the events of each payment are numbered without a gap since the oldest that is kept': `
    select count(*)::int as count from (
      select from world.events group by merchant_id, payment_id
      having count(*) <> max(sequence) - min(sequence) + 1) as gaps`,
  'each decided order was decided once, by the payment that it shows': `
    select count(*)::int as count from world.orders o
    where o.decision is not null and 1 <> (
      select count(*) from world.order_changes c
      where (c.merchant_id, c.order_id, c.payment_id, c.kind) = (o.merchant_id, o.id, o.payment_id, o.decision))`,
  'each refund that succeeded is in the sums of its attempt': `
    select count(*)::int as count from (
      select from world.operations o join world.attempts a on (a.merchant_id, a.payment_id, a.number) = (o.merchant_id, o.payment_id, o.attempt)
      where o.type = 'refund' and o.status = 'succeeded'
        and not exists (select from world.payment_warnings w where (w.merchant_id, w.payment_id) = (a.merchant_id, a.payment_id)
          and w.detail like 'refunds of % failed after all%')
      group by a.merchant_id, a.payment_id, a.number having sum(o.amount_minor) > a.refunded_minor) as missing`,
}

/** Returns the rules that are broken, each with the number of rows. */
export async function findBrokenRules(
  tx: Queryable,
  world: World,
): Promise<{ rule: string; rows: number }[]> {
  const broken: { rule: string; rows: number }[] = []
  for (const [rule, text] of Object.entries(RULES)) {
    const { rows } = await tx.query<{ count: number }>(inWorld(text, world))
    const count = rows[0]?.count ?? 0
    if (count > 0) broken.push({ rule, rows: count })
  }
  return broken
}
