/** The triggers that write the audit log and the revocations. The owner of the tables can stop them, so this checks whether they run. */
import { type Queryable, statement } from '../db.ts'

/** In the schema that both worlds share. A test compares both lists with the migrations. */
export const SHARED_TRIGGERS = [
  'approval_limits_audited',
  'approval_limits_set',
  'console_users_audited',
  'console_users_limited',
  'console_users_moved',
  'console_users_removed',
  'declined_limits_audited',
  'domain_requests_audited',
  'domain_reviews_audited',
  'domain_reviews_removed',
  'merchants_audited',
  'merchants_state_audited',
  'merchants_stopped',
  'operators_audited',
  'operators_key_replaced',
  'operators_removed',
  'operators_role_changed',
  'operators_waiting_audited',
  'origins_audited',
  'origins_removed',
  'passkeys_audited',
  'passkeys_removed',
  'passwords_audited',
  'passwords_removed',
  'passwords_replaced',
  'proposals_audited',
]

/** In the schema of each world. */
export const WORLD_TRIGGERS = [
  'account_merchants_audited',
  'account_merchants_removed',
  'accounts_audited',
  'accounts_retired',
  'api_keys_audited',
  'api_keys_limited',
  'api_keys_revoked',
  'api_keys_waiting_audited',
  'entries_audited',
  'installations_audited',
  'installations_narrowed',
  'installations_revoked',
  'merchant_routes_audited',
  'operation_changes_audited',
  'order_books_audited',
  'order_books_replaced',
  'payment_changes_audited',
  'products_audited',
  'products_removed',
  'receipt_changes_audited',
  'receivers_audited',
  'receivers_replaced',
  'restores_audited',
  'saved_methods_revoked',
  'short_addresses_audited',
  'short_addresses_retired',
  'subscriptions_cancelled',
  'webhook_secrets_audited',
  'webhook_secrets_deleted',
  'webhook_secrets_revoked',
]

const running = statement<{ schema: string; name: string }>(
  'list_running_audit_triggers',
  `select n.nspname as schema, t.tgname as name from pg_trigger t
     join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
   where n.nspname in ('kassa', 'sandbox', 'live') and t.tgenabled in ('O', 'A')
     and p.proname in ('note_change', 'note_money', 'note_revocation', 'note_replaced')`,
).all()
const schemas = statement<{ name: string }>(
  'list_audited_schemas',
  `select distinct schema as name from kassa.migrations where name in ('0016_revocations.sql', '0041_replaced_addresses.sql')`,
).all()

/** Returns the triggers that are missing or stopped, with their schemas. */
export async function listStoppedTriggers(db: Queryable): Promise<string[]> {
  const found = new Set((await running(db)).map(({ schema, name }) => `${schema}.${name}`))
  const migrated = (await schemas(db)).map(({ name }) => name)
  const expected = [
    ...(migrated.includes('kassa') ? SHARED_TRIGGERS.map((name) => `kassa.${name}`) : []),
    ...(['sandbox', 'live'] as const)
      .filter((world) => migrated.includes(world))
      .flatMap((world) => WORLD_TRIGGERS.map((name) => `${world}.${name}`)),
  ]
  return expected.filter((name) => !found.has(name))
}

/**
 * `place`: the version of PostgreSQL, the cluster and the database. Two clusters may give their databases the same number. `digest`: over the rows of PostgreSQL's own catalog about the triggers, their
 * functions and the files of their tables. The catalog stores with each row which transaction has written it, so a trigger that was
 * stopped and started again has another digest, and the owner of the table cannot bring the earlier one back. `migrations`: how many
 * the database has.
 */
export type Watch = { place: string; digest: string; migrations: number }

/** Returns what the triggers are now. The same statement of another time tells whether somebody has changed them in between. */
export const readWatch = statement<Watch>(
  'read_audit_watch',
  `with watched as (
     select t.oid, t.xmin, t.tgenabled, t.tgrelid, t.tgname from pg_trigger t
       join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
     where n.nspname in ('kassa', 'sandbox', 'live') and p.proname in ('note_change', 'note_money', 'note_revocation', 'note_replaced')
   ), facts as (
     select concat_ws(' ', 'trigger', oid, xmin, tgenabled, tgname) as fact from watched
     union all select distinct concat_ws(' ', 'table', c.oid, c.relfilenode) from pg_class c join watched on tgrelid = c.oid
     union all select concat_ws(' ', 'function', p.oid, p.xmin, p.proname) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
     where n.nspname in ('kassa', 'sandbox', 'live') and p.proname in
       ('note_change', 'note_money', 'note_revocation', 'note_replaced', 'note', 'append_audit', 'audit_value', 'carry_out')
   ) select concat_ws(' ', current_setting('server_version_num')::int / 10000, (select system_identifier from pg_control_system()),
       (select oid from pg_database where datname = current_database())) as place,
     encode(sha256(convert_to((select string_agg(fact, e'\\n' order by fact collate "C") from facts), 'UTF8')), 'hex') as digest,
     (select count(*)::int from kassa.migrations) as migrations`,
).row()
