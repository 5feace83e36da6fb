/**
 * The checks of a start. Each check finds something that would fail later, and its message is one line that says what to do.
 * Rule: if the service would work wrongly, the start fails. If there may be a problem later, the start prints a warning.
 */
import { judgeLog } from '../audit/state.ts'
import { explainStopped, UNGUARDED } from '../audit/verify.ts'
import type { Config } from '../config.ts'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { ADMIN } from '../invocation.ts'
import { counted } from '../messages/counted.ts'
import { nameOf } from '../settings/table.ts'
import { guardAudit } from '../storage/audit/guard.ts'
import { listStoppedTriggers } from '../storage/audit/watched.ts'
import { findArrival } from '../storage/backup/arrival.ts'
import { findMove } from '../storage/backup/fence.ts'
import type { Db } from '../storage/db.ts'
import { hasLiveWorld } from '../storage/migrate.ts'
import { isRestoring } from '../storage/restores/revoked.ts'
import {
  identifyDatabase,
  isSuperuser,
  keepsSessionSettings,
  measureRoom,
  readDatabaseClock,
} from '../storage/server-facts.ts'
import type { Database } from './database.ts'
import type { Machine } from './machine.ts'

/** Receivers reject an event if the time in its signature differs from theirs by more than this. */
const CLOCK_MAX_MS = 300_000
const CLOCK_WARN_MS = 5_000

/** Checks that the settings fit the database, before anything in the database is changed. @throws AppError */
export async function checkDatabase(
  config: Config,
  { main: { db, jobsDb } }: Pick<Database, 'main'>,
  warn: (line: string) => void,
): Promise<void> {
  await expectConnection(db, jobsDb)
  await checkMode(config, jobsDb, warn)
}

/** Checks that MODE fits the worlds of the database. @throws AppError */
export async function checkMode(config: Config, jobsDb: Db, warn: (line: string) => void): Promise<void> {
  if (config.mode !== 'sandbox' || !(await hasLiveWorld(jobsDb))) return
  if (!config.isModeSet)
    throw refusal(
      'This database has a live world, and MODE is not set. Set MODE=live to serve real payments, or MODE=sandbox to serve only the sandbox.',
    )
  warn(
    'Warning: This database has a live world, and MODE=sandbox serves only the sandbox. Buyers cannot pay with real money, and merchants get no events about real payments. Set MODE=live to serve both worlds.',
  )
}

export async function expectConnection(db: Db, direct: Db): Promise<void> {
  if (direct === db && !(await keepsSessionSettings(db))) throw poolerFound()
  if (direct !== db && (await identifyDatabase(direct)) !== (await identifyDatabase(db)))
    throw refusal(
      `${nameOf('databaseDirectUrl')} and ${nameOf('databaseUrl')} are addresses of different databases. Both must lead to the same database: one directly, the other through the pooler.`,
    )
}

const TOO_MANY_CONNECTIONS = '53300'
/** SQLSTATE classes of a server that responds but rejects the connection: wrong password, no such database, damaged files. */
const CLOSED_CLASSES = ['28', '3D', '58', 'XX']

/** Returns a plainer error if the server responded but rejected the connection. Returns other errors unchanged. */
export function explainRefusal(error: unknown): unknown {
  const closed = error instanceof Error ? (error as { code?: string }).code : undefined
  if (error instanceof Error && closed && CLOSED_CLASSES.includes(closed.slice(0, 2)))
    return refusal(
      `PostgreSQL rejects the connection to the database of ${nameOf('databaseUrl')} (${error.message}). Check its name, user and password. If its files are damaged, restore a backup into an empty database.`,
    )
  const cause = error instanceof AppError ? error.cause : undefined
  if (!(cause instanceof Error)) return error
  // Unless DATABASE_DIRECT_URL is set, each connection sends settings at its start. A pooler rejects them.
  if (/unsupported startup parameter/.test(cause.message)) return poolerFound()
  if ((cause as { code?: string }).code === TOO_MANY_CONNECTIONS)
    return refusal(
      `PostgreSQL has no room for another connection (${cause.message}). Close unused connections, raise max_connections or the limit of the role in PostgreSQL, or lower ${nameOf('poolMax')} of the other processes.`,
    )
  return error
}

function poolerFound(): AppError {
  return refusal(
    `${nameOf('databaseUrl')} is the address of a pooler such as pgbouncer, which shares its sessions. ` +
      `Set ${nameOf('databaseDirectUrl')} to the address of the database itself, for migrations and the job queue.`,
  )
}

/** Refuses a database that was moved elsewhere, or into which a move or a restore has not ended. @throws AppError */
export async function refuseMoved({ main: { jobsDb } }: Pick<Database, 'main'>): Promise<void> {
  const arrival = await findArrival(jobsDb)
  if (arrival && isRestoring(arrival))
    throw refusal(
      'The restore into this database was interrupted before it had ended what was revoked since the backup. Restore the backup again, into a new empty database.',
    )
  if (arrival)
    throw refusal(
      `A move into this database has not ended, so no service may use it yet. Set ${nameOf('databaseUrl')} to the database that everything comes from. If the command of the move was interrupted, run it again there.`,
    )
  const move = await findMove(jobsDb)
  if (!move) return
  const again = `To use this database again, run: ${ADMIN} database reopen`
  if (move.finishedAt)
    throw refusal(
      `Everything in this database was moved to ${move.target}. Set ${nameOf('databaseUrl')} to that database. ${again}`,
    )
  throw refusal(
    `Since ${move.startedAt.toISOString()} everything in this database is being moved to ${move.target}, and nothing can be stored here any more. Wait for the end of the move. If its command was interrupted, run it again. ${again}`,
  )
}

export const SUPERUSER_FOUND =
  "The role of DATABASE_URL is a superuser of PostgreSQL, so whoever gets hold of the service can read the database server's files and start programs there. Use a role that owns the database and nothing else. The guide Deploying says how to change to one."

/** Checks that a service can run on this database, whose schema is up to date. @throws AppError */
export async function checkService(
  { main: { jobsDb }, mostConnections }: Database,
  { mode, machine, warn }: { mode: Config['mode']; machine: Machine; warn(line: string): void },
): Promise<void> {
  await checkClock(jobsDb, machine, warn)
  if (mode === 'live' && (await isSuperuser(jobsDb))) warn(`Warning: ${SUPERUSER_FOUND}`)
  const { free, own } = await measureRoom(jobsDb)
  if (free < mostConnections - own)
    warn(
      `Warning: PostgreSQL has room for ${counted(free + own, 'connection')} of this process, which opens up to ${mostConnections}. Under load requests will fail. Raise max_connections in PostgreSQL, or lower ${nameOf('poolMax')}.`,
    )
}

/** Gives the audit log to another role than the service's, where somebody has prepared the database for it. */
export async function settleAuditLog({
  main: { jobsDb },
  asSuperuser,
}: Pick<Database, 'main' | 'asSuperuser'>): Promise<void> {
  await guardAudit(jobsDb, asSuperuser)
}

/** Logs where the audit log was changed, where the service's role owns it, and where no checkpoint is outside. */
export async function checkAuditLog(
  ctx: Pick<Context, 'db' | 'vault' | 'config'>,
  { now }: Machine,
  warn: (line: string) => void,
): Promise<void> {
  const { guard, refusal, warnings } = await judgeLog(ctx, now())
  if (refusal) warn(`Warning: ${refusal}`)
  // A superuser is named by another warning.
  else if (!guard.isGuarded && !guard.isSuperuser) warn(`Warning: ${UNGUARDED}`)
  for (const line of warnings) warn(`Warning: ${line}`)
  const stopped = guard.hasLog ? await listStoppedTriggers(ctx.db) : []
  if (stopped.length > 0) warn(`Warning: ${explainStopped(stopped)}`)
}

async function checkClock(db: Db, { now }: Machine, warn: (line: string) => void): Promise<void> {
  const before = now().getTime()
  const database = await readDatabaseClock(db)
  const after = now().getTime()
  // The database read its clock at some moment between the two readings of our own clock.
  const off = database < before ? before - database : Math.max(0, database - after)
  if (off < CLOCK_WARN_MS) return
  const line =
    `The clock of this machine is ${counted(Math.round(off / 1000), 'second')} ${database < before ? 'ahead of' : 'behind'} the clock of PostgreSQL. ` +
    'Find out which clock is wrong, and set it: timedatectl set-ntp true.'
  if (off > CLOCK_MAX_MS)
    throw refusal(
      `${line} Merchants reject events whose signature time is more than ${CLOCK_MAX_MS / 1000} seconds off.`,
    )
  warn(`Warning: ${line}`)
}

function refusal(message: string): AppError {
  return new AppError('storage_unavailable', { message })
}
