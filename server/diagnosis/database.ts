/** Examines the database from the address to the work in it. Each step needs the one before. Nothing is started or changed. */

import type { Config } from '../config.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { ADMIN, changeSetting, RESTART, SERVICE_LOG } from '../invocation.ts'
import { counted } from '../messages/counted.ts'
import { lookAtEmbedded } from '../postgres/look.ts'
import { expectKeysOpen, findSecretsKeys, readSealingKeys } from '../secrets/keys.ts'
import { createVault } from '../secrets/vault.ts'
import { nameOf } from '../settings/table.ts'
import { checkMode, expectConnection, SUPERUSER_FOUND } from '../start/checks.ts'
import { findArrival } from '../storage/backup/arrival.ts'
import { findMove } from '../storage/backup/fence.ts'
import { type Db, openDb } from '../storage/db.ts'
import { hasLivePayments } from '../storage/migrate.ts'
import { isSuperuser, readServerState, tryToStore } from '../storage/server-facts.ts'
import { judgeSchema } from '../storage/upgrade/ledger.ts'
import { judgeAudit } from './audit-log.ts'
import { changeUrl, DATABASE, explainConnection } from './connection.ts'
import { bad, type Finding, good } from './finding.ts'
import { judgeWaiting } from './waiting.ts'

/** The time limit of a connection, and of a statement. */
const WITHIN_MS = 3_000

/** `isUsable`: the work in the database can be examined. */
export type DatabaseVerdict = { findings: Finding[]; isUsable: boolean }
export type Located = { url: string; isEmbedded: boolean }

/** Returns the address of the database, or why there is none. */
export async function locate(config: Config, dataDir: string): Promise<Located | Finding> {
  const given = config.databaseDirectUrl ?? config.databaseUrl
  if (given !== undefined) return { url: given, isEmbedded: false }
  try {
    const found = await lookAtEmbedded(dataDir)
    if (found.state === 'running') return { url: found.url, isEmbedded: true }
    return explainEmbedded(found, dataDir)
  } catch (error) {
    return bad(DATABASE, (error as Error).message, `ls -la ${dataDir}`)
  }
}

type NotRunning = Exclude<Awaited<ReturnType<typeof lookAtEmbedded>>, { state: 'running' }>

function explainEmbedded(found: NotRunning, dataDir: string): Finding {
  switch (found.state) {
    case 'missing':
      return bad(
        DATABASE,
        `there is none in ${dataDir}, and ${nameOf('databaseUrl')} is not set`,
        changeSetting(nameOf('dataDir'), '/var/lib/kassa'),
      )
    case 'version':
      return bad(
        DATABASE,
        `the data in ${dataDir} is of PostgreSQL ${found.found}, and this version of Kassa contains PostgreSQL ${found.contained}. Start the version of Kassa that made it, back up there, and restore into a new DATA_DIR`,
        SERVICE_LOG,
      )
    case 'starting':
      return bad(
        DATABASE,
        `the private PostgreSQL (process ${found.pid}) is starting`,
        `tail ${dataDir}/postgres.log`,
      )
    case 'stopped':
      return bad(
        DATABASE,
        found.lockedBy === null
          ? 'the private PostgreSQL does not run, because the service does not'
          : `the private PostgreSQL does not run. Its lock names process ${found.lockedBy}, which is no server any more. A start repairs this`,
        RESTART,
      )
  }
}

/** The pools of an examination, which gives up soon. */
export function openBriefly(url: string, world: World): Db {
  return openDb(url, {
    world,
    max: 4,
    withinMs: WITHIN_MS,
    queryTimeoutMs: WITHIN_MS + 500,
  })
}

export async function judgeDatabase(
  config: Config,
  db: Db,
  { url, isEmbedded, dataDir }: Located & { dataDir: string },
): Promise<DatabaseVerdict> {
  const stop = (finding: Finding) => ({ findings: [finding], isUsable: false })
  try {
    const { isStandby, isReadOnly } = await readServerState(db)
    await expectConnection(db, db)
    const schema = await judgeContent(config, db)
    if (schema) return stop(schema)
    const storing =
      isStandby || isReadOnly ? explainReadOnly(isStandby) : await judgeStoring(db, { url, isEmbedded })
    const findings = [
      storing,
      ...(await judgeMode(config, db)),
      ...(await judgeRole(config, db)),
      ...(await judgeMove(db)),
      ...(await judgeKeys(config, db, dataDir)),
      ...(await judgeAudit(config, db, dataDir)),
      ...(await judgeWaiting(config.mode === 'live' ? [db, inSandbox(db)] : [db])),
    ]
    return { findings: findings.filter((each) => each !== null), isUsable: true }
  } catch (error) {
    if (error instanceof AppError && error.details.message !== undefined)
      return stop(bad(DATABASE, error.message, changeUrl()))
    return stop(explainConnection(error, url, isEmbedded))
  }
}

function explainReadOnly(isStandby: boolean): Finding {
  return isStandby
    ? bad(
        DATABASE,
        'it is a standby, which only copies another server and stores nothing. Name the primary',
        changeUrl(),
      )
    : bad(DATABASE, 'it is set to be read-only (default_transaction_read_only)', changeUrl())
}

async function judgeContent(config: Config, db: Db): Promise<Finding | null> {
  const worlds: World[] = config.mode === 'live' ? ['sandbox', 'live'] : ['sandbox']
  try {
    const { isEmpty, missing } = await judgeSchema(db, worlds)
    if (isEmpty) return bad(DATABASE, 'it is empty: there is no Kassa in it', changeUrl())
    if (missing === 0) return null
    const message = `it is of an earlier version, and lacks ${counted(missing, 'migration')}`
    return bad(DATABASE, message, `${ADMIN} database migrate --plan`)
  } catch (error) {
    if (!(error instanceof AppError) || error.details.message === undefined) throw error
    return bad(DATABASE, error.message, SERVICE_LOG)
  }
}

async function judgeStoring(db: Db, { url, isEmbedded }: Located): Promise<Finding> {
  return tryToStore(db).then(
    () => good(DATABASE, 'it responds, and it stores'),
    (error) => explainConnection(error, url, isEmbedded),
  )
}

async function judgeRole({ mode }: Config, db: Db): Promise<Finding[]> {
  if (mode !== 'live' || !(await isSuperuser(db))) return []
  return [{ state: 'open', about: 'Database role', message: SUPERUSER_FOUND, next: changeUrl() }]
}

/** Buyers cannot pay with real money while MODE names the sandbox. Without a real payment somebody has only tried the live world. */
async function judgeMode(config: Config, db: Db): Promise<Finding[]> {
  const problems: string[] = []
  await checkMode(config, db, (line) => problems.push(line)).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error
    problems.push(error.message)
  })
  if (problems.length === 0) return []
  const state = !config.isModeSet || (await hasLivePayments(db)) ? 'bad' : 'open'
  const next = changeSetting(nameOf('mode'), 'live')
  return problems.map((line) => ({ state, about: 'Mode', message: line.replace('Warning: ', ''), next }))
}

async function judgeMove(db: Db): Promise<Finding[]> {
  if (await findArrival(db)) {
    const message =
      'a move into this database has not ended, so no service may use it yet. Run the move again'
    return [bad('Move', message, changeUrl())]
  }
  const move = await findMove(db)
  if (!move) return []
  if (move.finishedAt) {
    const message = `everything was moved to ${move.target}, and nothing can be stored here`
    return [bad('Move', message, changeUrl())]
  }
  const isMoving = `since ${move.startedAt.toISOString()} everything is being moved to ${move.target}`
  const message = `${isMoving}, and nothing can be stored here. If the command of the move was interrupted, run it again, or end the move`
  return [bad('Move', message, `${ADMIN} database reopen`)]
}

/** The same connections, for the tables of the sandbox. */
const inSandbox = (db: Db): Db => Object.assign(Object.create(db), { world: 'sandbox' })

async function judgeKeys(config: Config, db: Db, dataDir: string): Promise<Finding[]> {
  const name = nameOf('secretsKeys')
  const change = changeSetting(name, 'NEWER,EARLIER')
  const keys = await findSecretsKeys(config, dataDir)
  const worlds = await readSealingKeys(config.mode === 'live' ? [db, inSandbox(db)] : [db])
  if (keys.length === 0) {
    const isUsed = worlds.some((each) => each.keys.length + each.credentialKeyIds.length > 0)
    return isUsed
      ? [bad('Keys', `${name} is not set, and there is no file secrets-key in ${dataDir}`, change)]
      : []
  }
  try {
    expectKeysOpen(worlds, createVault(keys))
    return [good('Keys', 'they decrypt every stored secret')]
  } catch (error) {
    return [bad('Keys', (error as Error).message, change)]
  }
}
