/** Provider accounts: one contract with one provider each. Rows are never deleted, because their payments keep them. */
import { type Queryable, statement } from '../db.ts'
import { fieldsOf, insertInto, type RecordOf, replaced, selected, valuesOf } from '../fields.ts'

const NEW = fieldsOf('accounts', [
  'id',
  'route',
  'driver',
  /** The merchant whose contract it is; null for the deployment's own. */
  'owner',
  'currencies',
  /** The settings that are no secret, as they were written. */
  'settings',
  /** The values of the settings that name the contract. */
  'identity',
  /** Open to every merchant. Otherwise only its owner, or the merchants that were allowed, may use it. */
  'shared',
  'activeFrom',
])
const FIELDS = fieldsOf('accounts', [
  ...NEW,
  /** Rises with every change. */
  'version',
  'retiredAt',
  /**
   * True for a retired account whose payments another account may take: the own account that replaced it, or the deployment's
   * account if the operator chose that.
   */
  'superseded',
  /** When the provider last refused the account's requests for good, and why; null since its last change. */
  'refusedAt',
  'refusedReason',
  /** When the provider last called back about one of our orders, to the hour; null while it never has. */
  'callbackSeenAt',
])
/** One account, as stored. Its credentials are stored beside it, sealed. */
export type AccountRecord = RecordOf<'accounts', typeof FIELDS, { settings: Record<string, string> }>

const COLUMNS = selected(FIELDS)

const revision = statement<{ revision: number; stopped: Record<string, 'paused' | 'closed'> }>(
  'find_account_revision',
  `select revision, coalesce((select json_object_agg(id, state) from kassa.merchants where state <> 'open'), '{}') as stopped
   from world.account_revision`,
)

/** Stores that the provider has called back at `now`, unless it is stored that it did after `before`. */
export const noteCallbackSeen = statement(
  'note_callback_seen',
  `update world.accounts set callback_seen_at = $2 where id = $1 and (callback_seen_at is null or callback_seen_at < $3)`,
).run((id: string, { now, before }: { now: Date; before: Date }) => [id, now, before])

/** Lets one transaction at a time change accounts. Reading goes on meanwhile. */
export const lockAccounts = statement(
  'lock_accounts',
  'lock table world.accounts in share row exclusive mode',
).run()

/**
 * `revision` rises with every change of an account, of its credentials and of its merchants. `stopped`: the merchants that take no
 * new payments.
 */
export async function findAccountRevision(
  db: Queryable,
): Promise<{ revision: number; stopped: Record<string, 'paused' | 'closed'> }> {
  return (await revision(db, []))[0] ?? { revision: 0, stopped: {} }
}

/** Returns every account of the world, retired ones too, the oldest first. */
export const listAccounts = statement<AccountRecord>(
  'list_accounts',
  `select ${COLUMNS} from world.accounts order by id`,
).all()

/** Inserts the account. If its id exists, writes its new settings, and revives it if it was retired. */
export const saveAccount = statement<AccountRecord>(
  'save_account',
  `${insertInto('accounts', NEW)}
   on conflict (id) do update set ${replaced(['currencies', 'settings', 'shared'])},
     version = accounts.version + 1, retired_at = null, superseded = false, refused_at = null, refused_reason = null,
     active_from = case when accounts.retired_at is null then accounts.active_from else excluded.active_from end
   returning ${COLUMNS}`,
).row(valuesOf('accounts', NEW))

/** Retires an account. One that is retired already keeps its time. `superseded`: whether another account may take its payments. */
export const retireAccount = statement(
  'retire_account',
  `update world.accounts set retired_at = coalesce(retired_at, $2), superseded = $3, version = version + 1 where id = $1`,
).run(({ id, retiredAt, superseded }: Pick<AccountRecord, 'id' | 'superseded'> & { retiredAt: Date }) => [
  id,
  retiredAt,
  superseded,
])

/** Payments that it has already stay with it, whatever their currency. */
export const updateAccountCurrencies = statement(
  'update_account_currencies',
  'update world.accounts set currencies = $2, version = version + 1 where id = $1',
).run(({ id, currencies }: Pick<AccountRecord, 'id' | 'currencies'>) => [id, currencies])

/** The version stays, because nothing that a driver reads has changed. */
export const updateAccountRefusal = statement(
  'note_account_refusal',
  'update world.accounts set refused_at = $2, refused_reason = $3 where id = $1',
).run(({ id, refusedAt, refusedReason }: { id: string; refusedAt: Date; refusedReason: string }) => [
  id,
  refusedAt,
  refusedReason,
])
