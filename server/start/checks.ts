/**
 * The checks of a start. Each finds something that would go wrong later, and says in one line what to do.
 * Rule: what makes the service work wrongly ends the start. What may become a problem is a warning.
 */
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { ADMIN } from '../invocation.ts'
import { nameOf } from '../settings/table.ts'
import { findMove } from '../storage/backup/facts.ts'
import type { Db } from '../storage/db.ts'
import { hasLiveWorld } from '../storage/migrate.ts'
import { identifyDatabase, keepsSessionSettings } from '../storage/pooler.ts'
import { measureRoom, readDatabaseClock } from '../storage/server-facts.ts'
import type { Database } from './database.ts'
import type { Machine } from './machine.ts'

/** Receivers refuse an event whose signature is further away than this. */
const CLOCK_MAX_MS = 300_000
const CLOCK_WARN_MS = 5_000

/** Checks how the settings fit the database, before anything in it is changed. @throws AppError */
export async function checkDatabase(
  config: Config,
  { main: { db, jobsDb } }: Database,
  warn: (line: string) => void,
): Promise<void> {
  await expectConnection(db, jobsDb)
  if (config.mode !== 'sandbox' || !(await hasLiveWorld(jobsDb))) return
  if (!config.isModeSet)
    throw refusal(
      'This database holds a live world, and MODE is not set. Set MODE=live to serve real payments, or MODE=sandbox to serve only the sandbox.',
    )
  warn(
    'Warning: This database holds a live world, and MODE=sandbox serves only the sandbox: real payments are not taken, followed or told to merchants. Set MODE=live to serve both.',
  )
}

async function expectConnection(db: Db, direct: Db): Promise<void> {
  if (direct === db && !(await keepsSessionSettings(db))) throw poolerFound()
  if (direct !== db && (await identifyDatabase(direct)) !== (await identifyDatabase(db)))
    throw refusal(
      `${nameOf('databaseDirectUrl')} and ${nameOf('databaseUrl')} lead to two databases. Both must name the same one, past the pooler and through it.`,
    )
}

const TOO_MANY_CONNECTIONS = '53300'

/** Gives a refused connection the sentence that an operator needs, where the database itself can be reached. */
export function explainRefusal(error: unknown): unknown {
  const cause = error instanceof AppError ? error.cause : undefined
  if (!(cause instanceof Error)) return error
  // A pooler refuses the settings that each connection asks for, unless DATABASE_DIRECT_URL says that it is there.
  if (/unsupported startup parameter/.test(cause.message)) return poolerFound()
  if ((cause as { code?: string }).code === TOO_MANY_CONNECTIONS)
    return refusal(
      `PostgreSQL has no room for another connection (${cause.message}). End connections that nobody needs, raise max_connections or the limit of the role in PostgreSQL, or lower ${nameOf('poolMax')} of the other processes.`,
    )
  return error
}

function poolerFound(): AppError {
  return refusal(
    `${nameOf('databaseUrl')} leads to a pooler such as pgbouncer, which shares its sessions. ` +
      `Set ${nameOf('databaseDirectUrl')} to the address of the database itself: migrations and the job queue go there.`,
  )
}

/** Checks that a service, which works for a long time, can work on this database. Its schema is this build's. @throws AppError */
export async function checkService(
  { main: { jobsDb }, mostConnections }: Database,
  { machine, warn }: { machine: Machine; warn(line: string): void },
): Promise<void> {
  const target = await findMove(jobsDb)
  if (target !== null)
    throw refusal(
      `Everything in this database was moved to ${target}. Set ${nameOf('databaseUrl')} to that database. To use this one again, run: ${ADMIN} database reopen`,
    )
  await checkClock(jobsDb, machine, warn)
  const { free, own } = await measureRoom(jobsDb)
  if (free < mostConnections - own)
    warn(
      `Warning: PostgreSQL has room for ${free + own} connections of this process, which opens up to ${mostConnections}. Under load requests will fail. Raise max_connections in PostgreSQL, or lower ${nameOf('poolMax')}.`,
    )
}

async function checkClock(db: Db, { now }: Machine, warn: (line: string) => void): Promise<void> {
  const before = now().getTime()
  const database = await readDatabaseClock(db)
  const after = now().getTime()
  // The answer was made somewhere between the two readings of our own clock.
  const off = database < before ? before - database : Math.max(0, database - after)
  if (off < CLOCK_WARN_MS) return
  const line =
    `The clock of this machine is ${Math.round(off / 1000)} seconds ${database < before ? 'ahead of' : 'behind'} the clock of PostgreSQL. ` +
    'Find out which of the two is wrong, and set it: timedatectl set-ntp true.'
  if (off > CLOCK_MAX_MS)
    throw refusal(
      `${line} Merchants refuse events that are signed more than ${CLOCK_MAX_MS / 1000} seconds off.`,
    )
  warn(`Warning: ${line}`)
}

function refusal(message: string): AppError {
  return new AppError('storage_unavailable', { message })
}
