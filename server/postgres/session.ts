// The connection by which a Kassa process holds the server: while it is open the process is one of the users, when the
// process dies, however it dies, it is none any more. It carries a shared advisory lock, and whoever wants to stop the
// server must first get that lock for itself: so the last one out stops it, and nobody can come in between asking
// and stopping. (Advisory locks are for migrations only elsewhere; here the server is always our own.)

import { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { Client } from 'pg'
import { readPassword, SUPERUSER } from './cluster.ts'
import { EmbeddedError, errorCode, explainFileError } from './error.ts'
import { isAlive, type Place } from './place.ts'
import { haltPostmaster, isPostmaster, readPidFile } from './postmaster.ts'

export type Session = {
  url: string
  /** True if no other process holds the server. From then on none can: the caller stops it. */
  takeAlone(): Promise<boolean>
  end(): Promise<void>
  /** Resolves when the connection is over, whoever ended it. */
  over: Promise<void>
}

const DATABASE = 'kassa'
/** The name of a connection that holds the server: this, and the pid of its process. */
const HOLDER = 'kassa-embedded '
const LOCK_KEY = '5276411'
const POLL_MS = 10
/** A server that is up has this long to answer. */
const ANSWER_LIMIT_MS = 5_000
/** A server that recovers from a crash has this long to come up; large ones need their time. */
const RECOVERY_LIMIT_MS = 120_000
const CONNECT_LIMIT_MS = 2_000
const QUERY_LIMIT_MS = 30_000
/** cannot_connect_now, admin_shutdown, lock_not_available: it is starting, stopping, or being stopped by somebody. */
const BUSY_CODES = ['57P03', '57P01', '55P03']

/**
 * Waits until that postmaster answers. 'gone': it has ended, or did not answer and was stopped; start another.
 * 'recovering': it takes longer than we wait, and should be left to it.
 */
export async function joinPostmaster(
  place: Place,
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
      onProgress(`The PostgreSQL of ${place.pgData} (process ${pid}) does not answer; stopping it`)
      await haltPostmaster(place, pid)
      return 'gone'
    }
    await setTimeout(POLL_MS)
  }
  return 'recovering'
}

async function askPostmaster(
  place: Place,
  pid: number,
  password: string,
): Promise<Session | 'busy' | 'silent'> {
  const file = await readPidFile(place, pid)
  if (file?.status === 'starting') return 'busy'
  // No file yet, or on its way out.
  if (file?.status !== 'ready') return 'silent'
  return await openSession(place, file.port, password)
}

async function openSession(
  place: Place,
  port: number,
  password: string,
): Promise<Session | 'busy' | 'silent'> {
  const socket = new Socket()
  const client = new Client({
    host: '127.0.0.1',
    port,
    user: SUPERUSER,
    password,
    // Not Kassa's own database: that one can be copied or dropped while we hold the server.
    database: 'postgres',
    application_name: `${HOLDER}${process.pid}`,
    ssl: false,
    stream: () => socket,
    connectionTimeoutMillis: CONNECT_LIMIT_MS,
    lock_timeout: CONNECT_LIMIT_MS,
    query_timeout: QUERY_LIMIT_MS,
  })
  // The server may go away at any time; whoever uses it notices on its own connections.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await holdServer(client, place)
    await ensureDatabase(client)
  } catch (error) {
    socket.destroy()
    return judgeError(error, place)
  }
  socket.unref()
  const over = new Promise<void>((resolve) => void socket.once('close', () => resolve()))
  const url = `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${DATABASE}?sslmode=disable`
  return { url, over, takeAlone: () => takeAlone(client, socket), end: () => endSession(client, socket) }
}

/** Waits while somebody is stopping the server; the stop then ends this connection. */
async function holdServer(client: Client, { pgData }: Place): Promise<void> {
  const { rows } = await client.query(
    `select pg_advisory_lock_shared(${LOCK_KEY}), current_setting('data_directory') as place`,
  )
  if (rows[0]?.place !== pgData) throw new Error('this is another server')
}

async function ensureDatabase(client: Client): Promise<void> {
  const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [DATABASE])
  if (rowCount) return
  await client.query(`create database ${DATABASE}`).catch((error) => {
    // Another process was faster: duplicate_database, or unique_violation when at the very same time.
    if (!['42P04', '23505'].includes(errorCode(error) ?? '')) throw error
  })
}

/** An error with a code is an answer, and the server a working one. */
function judgeError(error: unknown, place: Place): 'busy' | 'silent' {
  const code = errorCode(error) ?? ''
  if (BUSY_CODES.includes(code)) return 'busy'
  if (!/^[0-9A-Z]{5}$/.test(code) || code.startsWith('E')) return 'silent'
  if (code === '53100') throw explainFileError({ code: 'ENOSPC' }, place.dataDir)
  if (code.startsWith('28')) {
    throw new EmbeddedError(
      `The PostgreSQL of ${place.pgData} refuses the password in its kassa.password: restore that file.`,
    )
  }
  throw new EmbeddedError(
    `The PostgreSQL of ${place.pgData} answers with an error (${String(error)}): see ${place.logFile}, or set DATABASE_URL.`,
  )
}

/**
 * A process that was killed holds the server until its backend reads the end of the connection, which takes a while on a busy
 * machine. Such a holder is waited for: without that the last process out would leave the server running.
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

/** Whether a process that is there holds the server. One whose name tells no pid counts as there. */
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
