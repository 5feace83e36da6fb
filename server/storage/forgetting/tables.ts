/**
 * The tables that may have a buyer's data without a payment that names the buyer: an address that the buyer has corrected since, a
 * saved method, an answer of a provider. They are read in windows of their key, and only rows that have the data are written.
 */
import type { Tx } from '../db.ts'
import { type Queryable, statement } from '../db.ts'
import { FORGOTTEN_NAME, FORGOTTEN_REFERENCE, NOTED_BY_HAND } from '../payments/bank-references.ts'
import type { NamedPayment } from '../payments/payment.ts'
import { blanked, WITHOUT_BODY } from './payments.ts'

/** `key`: the columns of the primary key, or of a unique index. */
type Table = {
  name: string
  table: string
  key: string[]
  columns: { [column: string]: 'text' | 'key' | 'jsonb' | 'fields' | 'text[]' | 'null' }
  /** A statement that runs instead of blanking the columns. */
  instead?: string
  /** Which rows may have the data, if not all. */
  only?: string
  /** The payment is found by what the columns have. */
  isSearched?: true
}

const sandbox = (name: string, key: string[], columns: Table['columns']): Table => ({
  name: 'sandbox',
  table: `sandbox_${name}`,
  key,
  columns,
})

const TABLES: Table[] = [
  { name: 'events', table: 'events', key: ['id'], columns: { body: 'text' }, instead: WITHOUT_BODY },
  {
    name: 'deliveries',
    table: 'deliveries',
    key: ['merchant_id', 'event_id', 'attempt'],
    columns: { response_start: 'null', failure: 'text' },
  },
  {
    name: 'exchanges',
    table: 'provider_exchanges',
    key: ['id'],
    columns: { request_body: 'text', response_body: 'text', url: 'text', failure: 'text' },
  },
  {
    name: 'savedMethods',
    table: 'saved_methods',
    key: ['id'],
    columns: {
      customer: 'null',
      metadata: 'fields',
      provider_state: 'jsonb',
      customer_consent_id: 'text',
      return_url: 'text',
      setup_url: 'text',
    },
  },
  {
    name: 'subscriptions',
    table: 'subscriptions',
    key: ['id'],
    columns: { metadata: 'fields', description: 'text' },
  },
  {
    name: 'subscriptions',
    table: 'subscription_charges',
    key: ['merchant_id', 'subscription_id', 'period', 'attempt'],
    columns: { request: 'jsonb' },
  },
  {
    name: 'operations',
    table: 'operations',
    key: ['id'],
    columns: { metadata: 'fields', reason: 'text', status_reason: 'text', snapshot_before: 'jsonb' },
  },
  {
    name: 'attempts',
    table: 'attempts',
    key: ['merchant_id', 'payment_id', 'number'],
    columns: { form: 'jsonb', facts: 'jsonb', provider_state: 'jsonb', proof: 'jsonb', checkout_url: 'text' },
  },
  {
    name: 'changes',
    table: 'payment_changes',
    key: ['merchant_id', 'payment_id', 'version'],
    columns: { detail: 'text' },
    isSearched: true,
  },
  {
    name: 'warnings',
    table: 'payment_warnings',
    key: ['merchant_id', 'payment_id', 'detail'],
    columns: { detail: 'key', settled_why: 'text' },
  },
  {
    name: 'changes',
    table: 'receipt_changes',
    key: ['merchant_id', 'payment_id', 'id'],
    columns: { detail: 'text' },
  },
  {
    name: 'receipts',
    table: 'receipts',
    key: ['merchant_id', 'id'],
    columns: { status_reason: 'text', url: 'text' },
  },
  {
    name: 'changes',
    table: 'operation_changes',
    key: ['merchant_id', 'operation_id', 'id'],
    columns: { detail: 'text' },
  },
  {
    name: 'statementLines',
    table: 'statement_lines',
    key: ['account_id', 'line_id'],
    columns: { order_names: 'text[]', movement_names: 'text[]' },
  },
  { name: 'differences', table: 'statement_findings', key: ['account_id', 'id'], columns: { why: 'text' } },
  {
    name: 'unknownOrders',
    table: 'unknown_orders',
    key: ['account_id', 'reference'],
    columns: { state: 'jsonb', provider_answer: 'jsonb' },
  },
  { name: 'mails', table: 'mails', key: ['id'], columns: { notice: 'jsonb', failure: 'text' } },
  { name: 'orders', table: 'orders', key: ['merchant_id', 'id'], columns: { title: 'text' } },
  { name: 'orders', table: 'order_payments', key: ['merchant_id', 'payment_id'], columns: { buyer: 'null' } },
  {
    name: 'orders',
    table: 'order_changes',
    key: ['merchant_id', 'order_id', 'number'],
    columns: { remark: 'null', why: 'text' },
  },
  {
    name: 'bankReferences',
    table: 'bank_references',
    key: ['account_id', 'reference_key'],
    columns: { reference: 'text', reference_key: 'text' },
    instead: FORGOTTEN_REFERENCE,
  },
  {
    name: 'entries',
    table: 'entries',
    key: ['merchant_id', 'payment_id', 'number'],
    columns: { provider_id: 'text' },
    instead: FORGOTTEN_NAME,
    only: NOTED_BY_HAND,
    isSearched: true,
  },
  sandbox('orders', ['reference'], { body: 'jsonb' }),
  sandbox('callbacks', ['reference', 'number'], { body: 'text', url: 'text' }),
  sandbox('cards', ['reference'], { body: 'jsonb' }),
  sandbox('receipts', ['register', 'sequence'], { body: 'jsonb' }),
]

/** These columns of keys are numbers. */
const NUMBERS = ['attempt', 'number', 'sequence', 'version', 'period']
const NUMBERED = ['provider_exchanges', 'operation_changes', 'receipt_changes']
const isNumber = (table: string, column: string) =>
  NUMBERS.includes(column) || (column === 'id' && NUMBERED.includes(table))

type Sweep = Pick<Table, 'name' | 'table' | 'key'> & {
  isSearched: boolean
  findLast: Statement
  blank: Statement
}
type Statement = ReturnType<typeof statement>

function sweepOf({ name, table, key, columns, instead, only = 'true', isSearched }: Table): Sweep {
  const typeOf = (column: string) => (isNumber(table, column) ? 'bigint' : 'text')
  const at = (from: number) =>
    key.map((column, index) => `$${from + index}::text::${typeOf(column)}`).join(', ')
  const keys = key.join(', ')
  const pattern = `$${2 * key.length + 1}`
  const sets = Object.entries(columns).map(([column, kind]) =>
    kind === 'null'
      ? `${column} = null`
      : kind === 'text[]'
        ? `${column} = array(select regexp_replace(each, ${pattern}, '', 'gi') from unnest(${column}) with ordinality as t (each, place) order by place)`
        : blanked(column, kind, pattern),
  )
  const columnTexts = Object.entries(columns)
    .map(([column, kind]) => (kind === 'text[]' ? `array_to_string(${column}, ' ')` : column))
    .join(`, ' ', `)
  return {
    name,
    table,
    key,
    isSearched: isSearched ?? false,
    findLast: statement(
      `find_window_of_${table}`,
      `select ${key.map((column) => `${column}::text`).join(', ')} from world.${table} where (${keys}) > (${at(1)})
       order by ${keys} offset $${key.length + 1} limit 1`,
    ),
    blank: statement(
      `forget_in_${table}`,
      `update world.${table} set ${instead ?? sets.join(', ')}
       where (${keys}) > (${at(1)}) and (${keys}) <= (${at(key.length + 1)}) and ${only} and concat(${columnTexts}) ~* ${pattern}
       returning ${isSearched ? 'merchant_id as "merchantId", payment_id as id' : '1 as one'}`,
    ),
  }
}

export const SWEPT = TABLES.map(sweepOf)
/** Payments are found in the same windows. */
export const PAYMENT_WINDOWS = sweepOf({
  name: 'payments',
  table: 'payments',
  key: ['id'],
  columns: { description: 'text' },
})

/** A key that is below, or above, every other one. */
const edge = ({ key, table }: Sweep, isEnd: boolean) =>
  key.map((column) =>
    isNumber(table, column) ? (isEnd ? '9223372036854775807' : '-1') : isEnd ? '\u{10fffd}' : '',
  )

export type Window = { after: string[]; last: string[]; isEnd: boolean }

/** Returns the window of at most `rows` rows that follows the one before. */
export async function nextWindow(
  db: Queryable,
  sweep: Sweep,
  before: Window | null,
  rows: number,
): Promise<Window> {
  const after = before?.last ?? edge(sweep, false)
  const [found] = await sweep.findLast(db, [...after, rows - 1])
  return found
    ? {
        after,
        last: sweep.key.map((column) => String((found as Record<string, unknown>)[column])),
        isEnd: false,
      }
    : { after, last: edge(sweep, true), isEnd: true }
}

/** Entries may be changed by nothing else. Until the end of the transaction. */
const permit = statement('permit_forgetting', `select set_config('kassa.forgetting', 'yes', true)`)

/** Blanks the rows of a window that have the data. Returns how many, and the payments that are found by what the rows had. */
export async function blankWindow(
  tx: Tx,
  sweep: Sweep,
  { after, last }: Window,
  pattern: string,
): Promise<{ count: number; searched: NamedPayment[] }> {
  await permit(tx, [])
  const rows = await sweep.blank(tx, [...after, ...last, pattern])
  return { count: rows.length, searched: sweep.isSearched ? (rows as NamedPayment[]) : [] }
}
