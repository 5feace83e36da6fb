// The connection by which a Kassa process holds the server. It always ends when the process ends. The connection has a shared
// advisory lock. A process that wants to stop the server must first get the exclusive lock. So only
// the last process can stop the server, and no other process can begin to use it between the check and the stop.
//
// This is the superuser's connection. It sets up, holds and stops the server. The returned URL belongs to the service's role.

import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { readPassword, SUPERUSER } from './cluster.ts'
import { EmbeddedError, errorCode, explainFileError } from './error.ts'
import { isAlive, type ServerPlace } from './place.ts'
import { haltPostmaster, isPostmaster, readPidFile } from './postmaster.ts'
import { DATABASE, ensureServiceRole, serviceUrl } from './role.ts'

export type Session = {
  /** Kassa's database, as the service's role. */
  url: string
  /** Returns true if no other process holds the server. Then no other process can take it, and the caller must stop it. */
  takeAlone(): Promise<boolean>
  end(): Promise<void>
  /** Resolves when the connection has ended, at either side. */
  over: Promise<void>
}

/** The application name of a connection that holds the server: this prefix, and the pid of its process. */
const HOLDER = 'kassa-embedded '
const LOCK_KEY = '5276411'
const POLL_MS = 10
/** How long a running server may take to respond. */
const ANSWER_LIMIT_MS = 5_000
/** How long a server may take to recover from a crash. Large databases take long. */
const RECOVERY_LIMIT_MS = 120_000
const CONNECT_LIMIT_MS = 2_000
const QUERY_LIMIT_MS = 30_000
/** cannot_connect_now, admin_shutdown, lock_not_available: the server is starting or stopping. */
const BUSY_CODES = ['57P03', '57P01', '55P03']

/**
 * Waits until the postmaster accepts connections. 'gone': it has ended, or it did not respond and was stopped. Start another one.
 * 'recovering': the recovery takes longer than the limit, and must not be interrupted.
 */
export async function joinPostmaster(
  place: ServerPlace,
  pid: number,
  onProgress: (line: string) => void,
): Promise<Session | 'gone' | 'recovering'> {
  const password = await readPassword(place)
  const busyUntil = performance.now() + RECOVERY_LIMIT_MS
  let silentUntil = performance.now() + ANSWER_LIMIT_MS
  while (performance.now() < busyUntil) {
    if (!(await isPostmaster(place, pid))) return 'gone'
    const answer = await askPostmaster(place, pid, password)
    if (typeof answer !== 'string') return answer
    if (answer === 'busy') silentUntil = performance.now() + ANSWER_LIMIT_MS
    if (performance.now() > silentUntil) {
      onProgress(`The PostgreSQL of ${place.pgData} (process ${pid}) does not respond. Stopping it`)
      await haltPostmaster(place, pid)
      return 'gone'
    }
    await setTimeout(POLL_MS)
  }
  return 'recovering'
}

async function askPostmaster(
  place: ServerPlace,
  pid: number,
  password: string,
): Promise<Session | 'busy' | 'silent'> {
  const file = await readPidFile(place, pid)
  if (file?.status === 'starting') return 'busy'
  // The server has not written the file yet, or is stopping.
  if (file?.status !== 'ready') return 'silent'
  return await openSession(place, file.port, password)
}

async function openSession(
  place: ServerPlace,
  port: number,
  password: string,
): Promise<Session | 'busy' | 'silent'> {
  const socket = new Socket()
  const connection = {
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    application_name: `${HOLDER}${process.pid}`,
    ssl: false,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    lock_timeout: CONNECT_LIMIT_MS,
    query_timeout: QUERY_LIMIT_MS,
  }
  // Connect to another database than Kassa's, because Kassa's can be copied or dropped while we hold the server.
  const client = new Client({ ...connection, database: 'postgres', stream: () => socket })
  const openKassa = async () => {
    const kassa = new Client({ ...connection, database: DATABASE })
    kassa.on('error', () => undefined)
    await kassa.connect().catch((error) => {
      // Nobody can connect to a database that is being copied. The server itself works, so it must not be stopped.
      throw errorCode(error) ? error : Object.assign(error, { code: '55P03' })
    })
    return kassa
  }
  // The server may stop at any time. Its users notice that on their own connections.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await holdServer(client, place)
    await ensureServiceRole(client, password, openKassa)
  } catch (error) {
    socket.destroy()
    return judgeError(error, place)
  }
  socket.unref()
  const over = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const url = serviceUrl(password, port)
  return { url, over, takeAlone: () => takeAlone(client, socket), end: () => endSession(client, socket) }
}

/** Waits while another process stops the server. The stop then ends this connection. */
async function holdServer(client: Client, { pgData }: ServerPlace): Promise<void> {
  const { rows } = await client.query(
    `select pg_advisory_lock_shared(${LOCK_KEY}), current_setting('data_directory') as place`,
  )
  if (rows[0]?.place !== pgData) throw new Error('this is another server')
}

/** An error with a code comes from the server, so the server works. */
function judgeError(error: unknown, place: ServerPlace): 'busy' | 'silent' {
  const code = errorCode(error) ?? ''
  if (BUSY_CODES.includes(code)) return 'busy'
  if (!/^[0-9A-Z]{5}$/.test(code) || code.startsWith('E')) return 'silent'
  if (code === '53100') throw explainFileError({ code: 'ENOSPC' }, place.dataDir)
  if (code.startsWith('28')) {
    throw new EmbeddedError(
      `The PostgreSQL of ${place.pgData} rejects the password in its kassa.password. Restore that file.`,
    )
  }
  throw new EmbeddedError(
    `The PostgreSQL of ${place.pgData} answers with an error (${String(error)}): see ${place.logFile}, or set DATABASE_URL.`,
  )
}

/**
 * A killed process holds the server until its backend notices the end of the connection. On a busy machine this takes a while.
 * Without this wait the last process would leave the server running.
 */
async function takeAlone(client: Client, socket: Socket): Promise<boolean> {
  socket.ref()
  await client.query(`select pg_advisory_unlock_shared(${LOCK_KEY})`)
  const until = performance.now() + ANSWER_LIMIT_MS
  for (;;) {
    const { rows } = await client.query(`select pg_try_advisory_lock(${LOCK_KEY}) as alone`)
    if (rows[0]?.alone === true) return true
    if (performance.now() > until || (await isHeldByLiving(client))) return false
    await setTimeout(POLL_MS)
  }
}

/** Returns whether an existing process holds the server. A connection without a pid in its name counts as one. */
async function isHeldByLiving(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ name: string }>(
    `select application_name as name from pg_locks join pg_stat_activity using (pid)
     where locktype = 'advisory' and objid = ${LOCK_KEY} and granted`,
  )
  return rows.some(({ name }) => {
    const pid = Number(name.slice(HOLDER.length))
    return !pid || isAlive(pid)
  })
}

async function endSession(client: Client, socket: Socket): Promise<void> {
  socket.ref()
  await client.end().catch(() => undefined)
  socket.destroy()
}
