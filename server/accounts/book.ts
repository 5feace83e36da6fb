/**
 * All accounts of a world, kept in memory, so that choosing one costs a creation no round trip to the database.
 * Rule: what is read here is at most a second old. A revision number in the database says whether anything has changed.
 */
import type { World } from '../contract/health.ts'
import type { Account } from '../providers/registry.ts'
import { type CredentialRecord, listCredentials } from '../storage/accounts/account-credentials.ts'
import { listAccountMerchants } from '../storage/accounts/account-merchants.ts'
import { type AccountRecord, findAccountRevision, listAccounts } from '../storage/accounts/accounts.ts'
import type { Db } from '../storage/db.ts'
import type { Vault } from '../vault.ts'
import { readDriverSettings } from './driver-settings.ts'
import { openCredentials } from './seal.ts'

/** An account as it is stored, and opened for use. */
export type Entry = {
  record: AccountRecord
  /** Null when its credentials do not open, or its settings do not fit its driver any more. */
  account: Account | null
  /** Why `account` is null; for operators. It names no secret. */
  problem: string | null
  /** The merchants that may use it, if it is the deployment's and not shared. */
  merchants: ReadonlySet<string>
}

export type Accounts = {
  byId: ReadonlyMap<string, Entry>
  /** Those of a merchant that are not retired, the oldest first. */
  byOwner: ReadonlyMap<string, readonly Entry[]>
}

export type AccountBook = {
  /** Returns the accounts as they were less than a second ago. */
  read(): Promise<Accounts>
  /** Returns what is in memory, however old; null before the first reading. */
  recall(): Accounts | null
  /** The next reading goes to the database. Whoever changes an account calls it. */
  forget(): void
}

const FRESH_MS = 400
const STALE_MS = 900

/** `db`: the world's own pool. Opening credentials needs the vault. */
export function openBook(db: Db, vault: Vault): AccountBook {
  let accounts: Accounts | null = null
  let revision = -1
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<Accounts> | null = null
  let generation = 0

  async function load(): Promise<Accounts> {
    const startedAt = performance.now()
    const startedIn = generation
    // The revision is read first: a change that comes meanwhile raises it, and is read the next time.
    const now = await findAccountRevision(db)
    if (accounts === null || now !== revision) {
      accounts = await readAccounts(db, vault, accounts)
      revision = now
    }
    if (startedIn === generation) readAt = startedAt
    return accounts
  }

  function refresh(): Promise<Accounts> {
    if (reading) return reading
    const own = load().finally(() => {
      if (reading === own) reading = null
    })
    reading = own
    return own
  }

  return {
    async read() {
      const age = performance.now() - readAt
      if (accounts === null || age >= STALE_MS) return refresh()
      // A busy process reads ahead of time, so that no creation waits. A failure is seen when the entries are stale.
      if (age >= FRESH_MS) void refresh().catch(() => {})
      return accounts
    },
    recall: () => accounts,
    forget() {
      generation += 1
      reading = null
      readAt = Number.NEGATIVE_INFINITY
    },
  }
}

async function readAccounts(db: Db, vault: Vault, before: Accounts | null): Promise<Accounts> {
  const [records, credentials, allowed] = [
    await listAccounts(db),
    Map.groupBy(await listCredentials(db), ({ accountId }) => accountId),
    Map.groupBy(await listAccountMerchants(db), ({ accountId }) => accountId),
  ]
  const entries = records.map((record): Entry => {
    const merchants = new Set((allowed.get(record.id) ?? []).map(({ merchantId }) => merchantId))
    const known = before?.byId.get(record.id)
    // Opened accounts are kept as they are, so that what a driver keeps by its account is not lost.
    const opened =
      known?.account && known.record.version === record.version
        ? { account: known.account, problem: null }
        : openAccount(db.world, vault, record, credentials.get(record.id) ?? [])
    return { record, merchants, ...opened }
  })
  const active = entries.filter(({ record }) => record.owner !== null && record.retiredAt === null)
  return {
    byId: new Map(entries.map((entry) => [entry.record.id, entry])),
    byOwner: Map.groupBy(active, ({ record }) => record.owner ?? ''),
  }
}

/** Opens the credentials and reads the settings. One account that cannot be opened stops no other. */
function openAccount(
  world: World,
  vault: Vault,
  record: AccountRecord,
  credentials: CredentialRecord[],
): Pick<Entry, 'account' | 'problem'> {
  const { id, version, route, driver: driverName, owner } = record
  try {
    const given = { ...record.settings, ...openCredentials(world, vault, credentials) }
    const read = readDriverSettings(driverName, given, { prefix: '', world, owner })
    const { driver, settings, fiscal } = read
    if (driver)
      return {
        account: { id, version, live: world === 'live', route, driverName, driver, settings, fiscal },
        problem: null,
      }
    const missing = read.missing.length > 0 ? [`Set ${read.missing.join(', ')}.`] : []
    return { account: null, problem: [...read.wrong, read.misplaced ?? [], missing].flat().join(' ') }
  } catch (error) {
    return { account: null, problem: `Its stored credentials do not open: ${(error as Error).message}` }
  }
}
