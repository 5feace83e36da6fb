/**
 * Opens a deployment from its settings: the database, the keys, and a context for each world that it serves. The server and
 * the operator's commands share it.
 */
import { storeOwnAccounts } from './accounts/deployment.ts'
import type { Config } from './config.ts'
import type { Context, Worlds } from './context.ts'
import { createWorldShares, type Share } from './limits/world-share.ts'
import { createLog, type Log, type LogTarget, logFailure } from './log/log.ts'
import { followSandboxClock } from './sandbox/clock.ts'
import { expectKeysOpen, readSealingKeys, readSecretsKeys } from './secrets/keys.ts'
import { announceService, type Presence } from './secrets/presence.ts'
import { createVault, type Vault } from './secrets/vault.ts'
import {
  checkAuditLog,
  checkDatabase,
  checkService,
  explainRefusal,
  refuseMoved,
  settleAuditLog,
} from './start/checks.ts'
import { type Database, openDatabase, warnOfEarlierData } from './start/database.ts'
import { type Machine, THIS_MACHINE } from './start/machine.ts'
import type { Db } from './storage/db.ts'
import { migrate } from './storage/migrate.ts'
import { expectOwn } from './storage/upgrade/whose.ts'
import { listUsedKeyIds } from './storage/used-keys.ts'
import { createContext } from './world.ts'
import { listWorlds } from './worlds.ts'

export type Service = {
  worlds: Worlds
  /** The context of the deployment's own world, which MODE names. */
  ctx: Context
  dataDir: string
  /** True when this database was empty before. */
  isNew: boolean
  /** Makes the service report itself as not ready, so that it gets no new requests. */
  announceLeaving(): void
  close(): Promise<void>
}

/**
 * Opens only the database, as it is: for commands that must see it before this build changes it.
 * @throws Error with one line that says what to do
 */
export async function openUnmigrated(
  config: Config,
  {
    onProgress = () => {},
    logTo = 'stdout',
    mayCreate = true,
  }: Pick<OpenOptions, 'onProgress' | 'logTo' | 'mayCreate'> = {},
): Promise<Database> {
  const log = createLog(config.logLevel, logTo)
  const database = await openDatabase(config, { own: false, mayCreate, log, onProgress })
  try {
    await checkDatabase(config, database, () => {})
    if (!mayCreate) await expectOwn(database.main.jobsDb, { mayCreate })
    return database
  } catch (error) {
    await database.close()
    throw explainRefusal(error)
  }
}

export type OpenOptions = {
  /** Receives lines about slow steps of the start. */
  onProgress?: (line: string) => void
  /** False for the operator's commands. They do not restart a database that was killed. */
  own?: boolean
  /** False for commands that name something existing: they would find nothing in a new database. */
  mayCreate?: boolean
  /** Where this process's HTTP server listens, if it has one. It is the public address unless BASE_URL names another. */
  localUrl?: string
  /** Where the log is written. The operator's commands print their results to stdout, so they log to stderr. */
  logTo?: LogTarget
  /** The machine that the start checks. */
  machine?: Machine
}

/**
 * Opens the database (an embedded one unless DATABASE_URL names another), brings it to this build's schema, and builds
 * a context for each world. An operator's command upgrades no database. @throws Error with one line that says what to do.
 */
export async function openService(
  config: Config,
  {
    onProgress = () => {},
    own = true,
    mayCreate = true,
    localUrl,
    logTo = 'stdout',
    machine = THIS_MACHINE,
  }: OpenOptions = {},
): Promise<Service> {
  const log = createLog(config.logLevel, logTo)
  const database = await openDatabase(config, { own, mayCreate, log, onProgress, machine })
  const { dataDir, main } = database
  let stopFollowing = () => {}
  let presence: Presence | null = null
  const close = async () => {
    stopFollowing()
    await presence?.stop()
    await database.close()
  }
  try {
    const isNew = await prepare(config, database, { own, mayCreate, onProgress, machine }).catch((error) => {
      throw explainRefusal(error)
    })
    const sandbox = config.mode === 'sandbox' ? main : database.open('sandbox')
    const dbs = [...new Set([main.db, sandbox.db])]
    const vault = await openVault(config, dbs, { dataDir, onProgress })
    if (own) presence = await announce([main.db, sandbox.db], vault, { log, warn: onProgress })
    // Read after the announcement: a rotation that did not see this process has begun before, and is seen here or there.
    expectKeysOpen(await readSealingKeys(dbs), vault)
    const shares = config.mode === 'live' ? createWorldShares() : null
    const following = await followSandboxClock(sandbox.db, log, shares)
    stopFollowing = following.stop
    const parts = { log, vault, localUrl }
    const worlds: Worlds = {
      sandbox: contextOf(config, { ...parts, ...sandbox, clock: following.clock }, shares?.sandbox),
      ...(shares && { live: contextOf(config, { ...parts, ...main }, shares.live) }),
    }
    for (const each of listWorlds(worlds)) await storeOwnAccounts(each, { byCommand: !own })
    const ctx = worlds[config.mode] ?? worlds.sandbox
    if (own) await checkAuditLog(ctx, machine, onProgress)
    return {
      worlds,
      ctx,
      dataDir,
      isNew,
      announceLeaving: () => announceLeaving(worlds),
      close: () => {
        for (const each of listWorlds(worlds)) each.buckets.close()
        return Promise.all(listWorlds(worlds).map((each) => each.exchangeLog.flush())).then(close)
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

type Parts = Omit<Parameters<typeof createContext>[1], 'localUrl'> & { localUrl: string | undefined }

function contextOf(config: Config, { localUrl, ...parts }: Parts, share: Share | undefined): Context {
  return createContext(config, {
    ...parts,
    localUrl: localUrl ?? `http://localhost:${config.port}`,
    isServing: localUrl !== undefined,
    ...(share && { share }),
  })
}

function announceLeaving(worlds: Worlds): void {
  for (const each of listWorlds(worlds)) each.readinessBlockers = async () => ['the service is shutting down']
}

/** Opens the vault with the keys that the databases use. */
async function openVault(
  config: Config,
  dbs: readonly Db[],
  { dataDir, onProgress }: { dataDir: string; onProgress(line: string): void },
): Promise<Vault> {
  const { keys, kept } = await readSecretsKeys(config, dataDir, {
    used: (await Promise.all(dbs.map(listUsedKeyIds))).flat(),
    beforeMaking: () => warnOfEarlierData(config, 'secrets-key', { dataDir, onProgress }),
  })
  return createVault(keys, kept)
}

function announce(
  [main, sandbox]: [Db, Db],
  vault: Vault,
  { log, warn }: { log: Log; warn(line: string): void },
): Promise<Presence> {
  return announceService(main === sandbox ? [main] : [main, sandbox], vault, {
    warn,
    onLockedOut: (keyIds) =>
      logFailure(
        log,
        'error',
        'stored secrets were sealed anew under keys that this process does not know. Restart it with the keys of the other processes',
        { keyIds: keyIds.join(', ') },
      ),
  })
}

/**
 * Checks the database and brings it to this build's schema. Returns whether it was empty.
 * @throws AppError when the settings do not fit the content of the database
 */
async function prepare(
  config: Config,
  database: Database,
  {
    own,
    mayCreate,
    onProgress,
    machine,
  }: Required<Pick<OpenOptions, 'own' | 'mayCreate' | 'onProgress' | 'machine'>>,
): Promise<boolean> {
  // The service prints these warnings at its start. An operator's command does not repeat them.
  const warn = own ? onProgress : () => {}
  await checkDatabase(config, database, warn)
  if (own) await refuseMoved(database)
  const applied = await migrate(database.main.jobsDb, database.worlds, {
    onProgress,
    mayCreate,
    mayUpgrade: own,
  })
  // A command leaves the log as it is: `backup restore` brings another one, and the service's next start settles that.
  if (own) await settleAuditLog(database)
  if (own) await checkService(database, { mode: config.mode, machine, warn })
  return applied.some(({ migration }) => migration.startsWith('kassa/0001_'))
}
