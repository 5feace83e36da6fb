/**
 * Compares the database with what is written about it: its tables with those of the README, and its lists of words with those that
 * TypeScript declares. `rows.test.ts` compares the rest.
 */
import { afterAll, describe, expect, inject, test } from 'vitest'
import { CURRENCIES } from '../contract/currencies.ts'
import { CURRENCY_CODES } from '../contract/fields.ts'
import { LANGUAGES } from '../contract/languages.ts'
import { OPERATION_STATUSES, OPERATION_TYPES } from '../contract/operation.ts'
import { FISCAL_STATUSES, PAYMENT_STATUSES } from '../contract/payment.ts'
import { PAYMENT_METHOD_TOKEN_STATUSES } from '../contract/payment-method-token.ts'
import { CANCEL_REASONS, INTERVALS, SUBSCRIPTION_STATUSES } from '../contract/subscription.ts'
import { createTestDatabase } from '../testing/database.ts'
import { readLists } from '../testing/pictures/rows.ts'
import { describedTables } from '../testing/pictures/tables.ts'
import { openDb } from './db.ts'
import type { MailRecord } from './mails/mails.ts'
import { WORDS } from './rows.ts'

/** The members of a type. The compiler names a missing or foreign one. */
const membersOf = <Type extends string>(members: Record<Type, true>) => Object.keys(members)

/** The lists that are declared outside of `rows.ts`, by domain, or by table and column. */
const DECLARED: Partial<Record<keyof typeof WORDS, readonly string[]>> = {
  payment_status: PAYMENT_STATUSES,
  fiscal_status: FISCAL_STATUSES,
  'operations.type': OPERATION_TYPES,
  'operations.status': OPERATION_STATUSES,
  'mails.kind': membersOf<MailRecord['kind']>({
    paid: true,
    refunded: true,
    refund_failed: true,
    transfer: true,
    transfer_reminder: true,
    account_health: true,
    audit_checkpoint: true,
    order_news: true,
    order_test: true,
    desk_cases: true,
    address_changed: true,
    approval_waits: true,
    invitation: true,
  }),
  'saved_methods.status': PAYMENT_METHOD_TOKEN_STATUSES,
  'subscriptions.status': SUBSCRIPTION_STATUSES,
  'subscriptions.billing_interval': INTERVALS,
  'subscriptions.cancel_reason': CANCEL_REASONS,
}

const database = await createTestDatabase(inject('postgresUrl'), 'live')
const db = openDb(database.url, { world: 'sandbox' })
afterAll(async () => {
  await db.end()
  await database.drop()
})

describe('the tables', () => {
  test('the README lists every table of the database by schema, and no other', async () => {
    const { rows } = await db.query<{ schema: string; name: string }>(
      `select table_schema as schema, table_name as name from information_schema.tables
       where table_schema not in ('pg_catalog', 'information_schema', 'sandbox_jobs', 'live_jobs')`,
    )
    const tablesOf = (schema: string) =>
      rows
        .filter((row) => row.schema === schema)
        .map(({ name }) => name)
        .sort()
    expect([...describedTables('kassa').keys()].sort()).toEqual(tablesOf('kassa'))
    expect([...describedTables('sandbox').keys()].sort()).toEqual(tablesOf('sandbox'))
    expect(tablesOf('live')).toEqual(tablesOf('sandbox'))
    expect(new Set(rows.map(({ schema }) => schema))).toEqual(
      new Set(['kassa', 'kassa_audit', 'sandbox', 'live']),
    )
    for (const line of [...describedTables('kassa').values(), ...describedTables('sandbox').values()])
      expect(line).toMatch(/\w{3}/)
  })

  test('no foreign key leads from one world to the other, or out of what both share', async () => {
    const { rows } = await db.query<{ from: string; to: string }>(
      `select distinct source.nspname as "from", target.nspname as "to" from pg_constraint c
       join pg_class s on s.oid = c.conrelid join pg_namespace source on source.oid = s.relnamespace
       join pg_class t on t.oid = c.confrelid join pg_namespace target on target.oid = t.relnamespace
       where c.contype = 'f' and source.nspname in ('kassa', 'sandbox', 'live')`,
    )
    const crossing = rows.filter(({ from, to }) => from !== to && !(from !== 'kassa' && to === 'kassa'))
    expect([crossing, rows.length]).toEqual([[], 5])
  })

  test('every table has a primary key, by which a move finds the rows that were written meanwhile', async () => {
    const { rows } = await db.query<{ name: string }>(
      `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind in ('r', 'p') and n.nspname in ('kassa', 'sandbox', 'live')
         and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary)`,
    )
    expect(rows).toEqual([])
  })
})

describe('the words', () => {
  test.each(Object.entries(DECLARED))('the words of %s are those of the program', (name, words) => {
    expect([...words].sort()).toEqual([...WORDS[name as keyof typeof WORDS]].sort())
  })

  test('both worlds accept the same words', async () => {
    const [sandbox, live] = [await readLists(db, ['sandbox']), await readLists(db, ['live'])]
    expect(live).toEqual(sandbox)
    expect(live.size).toBeGreaterThan(20)
  })

  test('the currencies are listed in the database once, in their domain', async () => {
    const codes = `'(${CURRENCY_CODES.join('|')})'`
    const { rows } = await db.query<{ name: string }>(
      `select conname as name from pg_constraint where pg_get_constraintdef(oid) ~ $1
       union select p.proname from pg_proc p join pg_namespace n on n.oid = p.pronamespace
         where n.nspname in ('kassa', 'sandbox', 'live') and p.prosrc ~ $1
       union select indexrelid::regclass::text from pg_index where pg_get_indexdef(indexrelid) ~ $1`,
      [codes],
    )
    expect(rows).toEqual([{ name: 'currency_check' }])
  })

  test('every column of a currency has the domain, and an account takes no other currency', async () => {
    const { rows } = await db.query<{ column: string; type: string }>(
      `select table_name || '.' || column_name as column, coalesce(domain_name, udt_name) as type
       from information_schema.columns where table_schema = 'sandbox' and column_name ~ 'currenc'
         -- A provider's statement may be in any currency.
         and table_name !~ '^statement_'`,
    )
    expect(rows.filter(({ type }) => type !== 'currency')).toEqual([
      { column: 'accounts.currencies', type: '_text' },
    ])
    expect(rows.length).toBeGreaterThan(5)
    const insert = (currencies: (string | null)[]) =>
      db.query(
        `insert into sandbox.accounts (id, route, driver, currencies, settings, identity, shared, active_from)
         values ($1, 'route_a', 'sandbox', $2, '{}', $1, true, now())`,
        [`acc_${currencies.length}`, currencies],
      )
    for (const wrong of [['XTS'], ['USD', 'XTS'], ['USD', null], []])
      await expect(insert(wrong)).rejects.toMatchObject({ code: '23514' })
    await expect(insert([...CURRENCY_CODES])).resolves.toMatchObject({ rowCount: 1 })
  })

  test('a code of a currency is one of ISO 4217, with the decimals of the standard', () => {
    for (const [code, { digits }] of Object.entries(CURRENCIES)) {
      const format = new Intl.NumberFormat('en', { style: 'currency', currency: code })
      expect([code, Intl.supportedValuesOf('currency').includes(code)]).toEqual([code, true])
      expect([code, format.resolvedOptions().maximumFractionDigits]).toEqual([code, digits])
    }
  })

  test('a language needs no migration: only the form of its code is checked', async () => {
    const read = (code: string) => db.query('select $1::sandbox.locale::text as code', [code])
    for (const code of [...Object.keys(LANGUAGES), 'ka', 'fil'])
      expect((await read(code)).rows).toEqual([{ code }])
    for (const wrong of ['KA', 'k', 'ka-GE', '', 'kaka'])
      await expect(read(wrong)).rejects.toMatchObject({ code: '23514' })
  })
})
