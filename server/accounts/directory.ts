/**
 * Keeps all accounts of a world in memory, so that choosing one needs no database query during a creation.
 * Rule: accounts in memory are at most a second old. A revision number in the database tells whether anything has changed.
 */
import type { World } from '../contract/health.ts'
import type { Account } from '../providers/registry.ts'
import type { Vault } from '../secrets/vault.ts'
import { type CredentialRecord, listCredentials } from '../storage/accounts/account-credentials.ts'
import { listAccountMerchants } from '../storage/accounts/account-merchants.ts'
import { type AccountRecord, findAccountRevision, listAccounts } from '../storage/accounts/accounts.ts'
import { type FactRecord, listAccountFacts } from '../storage/accounts/facts.ts'
import { type HealthRecord, listAccountHealth } from '../storage/accounts/health.ts'
import type { Db } from '../storage/db.ts'
import { readDriverSettings } from './driver-settings.ts'
import { openCredentials } from './seal.ts'

/** A stored account, with its decrypted form for drivers. */
export type DirectoryEntry = {
  record: AccountRecord
  /** Null if its credentials cannot be decrypted, or if its driver no longer accepts its settings. */
  account: Account | null
  /** Why `account` is null, for operators. It contains no secret. */
  problem: string | null
  /** For a closed account of the deployment: the merchants who may use it. */
  merchants: ReadonlySet<string>
  /** Absent: it was never anything but well. */
  health: HealthRecord | undefined
  /** What the provider was found to allow or not to allow, by name. */
  facts: ReadonlyMap<string, FactRecord>
}

export type Accounts = {
  byId: ReadonlyMap<string, DirectoryEntry>
  /** The accounts of each merchant, retired ones too, the oldest first. */
  byOwner: ReadonlyMap<string, readonly DirectoryEntry[]>
  /** The merchants that take no new payments now. */
  stopped: Stopped
}
type Stopped = ReadonlyMap<string, 'paused' | 'closed'>

export type AccountDirectory = {
  /** Returns the accounts as they were at most a second ago. */
  read(): Promise<Accounts>
  /** Returns the accounts in memory, however old. Returns null before the first read. */
  recall(): Accounts | null
  /** Makes the next call read from the database. Called after every change of an account. */
  forget(): void
}

const FRESH_MS = 400
const STALE_MS = 900

/** Is called for an account that cannot be used: once when this is noticed, and again when the reason changes. */
export type OnProblem = (record: AccountRecord, problem: string) => void

/** `db`: the world's own pool. The vault decrypts the credentials. */
export function openDirectory(db: Db, vault: Vault, onProblem: OnProblem = () => {}): AccountDirectory {
  let accounts: Accounts | null = null
  let revision = -1
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<Accounts> | null = null
  let generation = 0

  async function load(): Promise<Accounts> {
    const startedAt = performance.now()
    const startedIn = generation
    // The revision is read first. A change after this read raises it again, so the next call reads the change.
    const now = await findAccountRevision(db)
    const stopped: Stopped = new Map(Object.entries(now.stopped))
    if (accounts !== null && now.revision === revision) accounts = { ...accounts, stopped }
    else {
      const before = accounts
      accounts = { ...(await readAccounts(db, vault, before)), stopped }
      revision = now.revision
      for (const { record, problem } of accounts.byId.values())
        if (problem !== null && before?.byId.get(record.id)?.problem !== problem) onProblem(record, problem)
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
      // Refresh early and in the background, so that no creation waits. If this fails, the next call after STALE_MS reports it.
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

async function readAccounts(
  db: Db,
  vault: Vault,
  before: Accounts | null,
): Promise<Omit<Accounts, 'stopped'>> {
  const records = await listAccounts(db)
  const credentials = Map.groupBy(await listCredentials(db), ({ accountId }) => accountId)
  const allowed = Map.groupBy(await listAccountMerchants(db), ({ accountId }) => accountId)
  const health = new Map((await listAccountHealth(db)).map((each) => [each.accountId, each]))
  const facts = Map.groupBy(await listAccountFacts(db), ({ accountId }) => accountId)
  const entries = records.map((record): DirectoryEntry => {
    const merchants = new Set((allowed.get(record.id) ?? []).map(({ merchantId }) => merchantId))
    const known = before?.byId.get(record.id)
    // Keep accounts that did not change, because drivers cache values by the account object.
    const opened =
      known?.account && known.record.version === record.version
        ? { account: known.account, problem: null }
        : openAccount(db.world, vault, record, credentials.get(record.id) ?? [])
    const found = new Map((facts.get(record.id) ?? []).map((each) => [each.name, each]))
    return { record, merchants, health: health.get(record.id), facts: found, ...opened }
  })
  const owned = entries.filter(({ record }) => record.owner !== null)
  return {
    byId: new Map(entries.map((entry) => [entry.record.id, entry])),
    byOwner: Map.groupBy(owned, ({ record }) => record.owner ?? ''),
  }
}

/** Decrypts the credentials and reads the settings. A failure affects only this account. */
function openAccount(
  world: World,
  vault: Vault,
  record: AccountRecord,
  credentials: CredentialRecord[],
): Pick<DirectoryEntry, 'account' | 'problem'> {
  const { id, version, route, driver: driverName, owner } = record
  try {
    const given = { ...record.settings, ...openCredentials(world, vault, credentials) }
    const read = readDriverSettings(driverName, given, { prefix: '', world, owner })
    const { driver, settings, fiscal, amountBounds } = read
    if (driver)
      return {
        account: {
          id,
          version,
          live: world === 'live',
          route,
          driverName,
          driver,
          settings,
          fiscal,
          amountBounds,
        },
        problem: null,
      }
    const missing = read.missing.length > 0 ? [`Set ${read.missing.join(', ')}.`] : []
    return { account: null, problem: [...read.wrong, read.misplaced ?? [], missing].flat().join(' ') }
  } catch (error) {
    return {
      account: null,
      problem: `Its stored credentials cannot be decrypted: ${(error as Error).message}`,
    }
  }
}
