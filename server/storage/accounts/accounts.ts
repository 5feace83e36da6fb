/** Provider accounts: one contract with one provider each. Rows are never deleted, because their payments keep them. */
import type { CurrencyCode, ProviderRoute } from '../../contract/fields.ts'
import { type Queryable, statement } from '../db.ts'

/** One account, as stored. Its credentials are stored beside it, sealed. */
export type AccountRecord = {
  id: string
  route: ProviderRoute
  driver: string
  /** The merchant whose contract it is; null for the deployment's own. */
  owner: string | null
  currencies: CurrencyCode[]
  /** The settings that are no secret, as they were written. */
  settings: Record<string, string>
  /** The values of the settings that name the contract. */
  identity: string
  /** Open to every merchant. Otherwise only its owner, or the merchants that were allowed, may use it. */
  shared: boolean
  /** Rises with every change. */
  version: number
  activeFrom: Date
  retiredAt: Date | null
  /**
   * True for a retired account whose payments another account may take: the own account that replaced it, or the deployment's
   * account if the operator chose that.
   */
  superseded: boolean
  /** When the provider last refused the account's requests for good, and why; null since its last change. */
  refusedAt: Date | null
  refusedReason: string | null
  /** When the provider last called back about one of our orders, to the hour; null while it never has. */
  callbackSeenAt: Date | null
}

const COLUMNS = `id, route, driver, owner, currencies, settings, identity, shared, version, active_from as "activeFrom",
  retired_at as "retiredAt", superseded, refused_at as "refusedAt", refused_reason as "refusedReason",
  callback_seen_at as "callbackSeenAt"`

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
  `insert into world.accounts (id, route, driver, owner, currencies, settings, identity, shared, active_from)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
   on conflict (id) do update set currencies = excluded.currencies, settings = excluded.settings, shared = excluded.shared,
     version = accounts.version + 1, retired_at = null, superseded = false, refused_at = null, refused_reason = null,
     active_from = case when accounts.retired_at is null then accounts.active_from else excluded.active_from end
   returning ${COLUMNS}`,
).row(
  (
    record: Omit<
      AccountRecord,
      'version' | 'retiredAt' | 'superseded' | 'refusedAt' | 'refusedReason' | 'callbackSeenAt'
    >,
  ) => {
    const { id, route, driver, owner, currencies, settings, identity, shared, activeFrom } = record
    const values = [id, route, driver, owner, currencies, settings, identity, shared, activeFrom]
    return values
  },
)

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
