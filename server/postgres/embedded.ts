// Runs the embedded PostgreSQL: a private server on 127.0.0.1 for operators who have no PostgreSQL. The server is a process
// of its own, and it goes on running when Node is killed. So a start first looks for a server that already runs.
//
// There is no lock file. Every step is atomic (a rename, PostgreSQL's own pid file, a lock inside the server) or may be
// repeated. A second process finds and uses what the first process created.

import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { ensureCluster } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { launchPostmaster } from './launch.ts'
import { keepLogBounded, LOG_CHECK_MS } from './log-file.ts'
import { preparePlace, type ServerPlace } from './place.ts'
import { findPostmaster, haltPostmaster } from './postmaster.ts'
import { findPrograms } from './program.ts'
import { joinPostmaster, type Session } from './session.ts'

export { EmbeddedError } from './error.ts'
export { defaultDataDir, findEarlierData, hasCluster } from './place.ts'

/** `adopted`: the server was already running. `stop` may be called more than once. End the pools on `url` first. */
export type EmbeddedPostgres = { url: string; adopted: boolean; stop(): Promise<void> }

export type EmbeddedOptions = {
  dataDir: string
  /** If the server is killed, start it again on the same port, until `stop()`. Default false. */
  revive?: boolean
  /** Receives lines for the operator about slow steps. */
  onProgress?: (line: string) => void
  /** PostgreSQL settings that replace ours. An adopted server keeps the settings that it was started with. */
  settings?: Record<string, string>
  /** How often a process that revives the server checks the size of the log. */
  logCheckMs?: number
}

/** A server that this process holds. `adopted`: it was running before. */
type HeldServer = { pid: number; adopted: boolean; session: Session }

const MAX_TRIES = 12
const MIN_RETRY_MS = 20
const MAX_RETRY_MS = 250
const REVIVE_EVERY_MS = 5_000

/**
 * Starts the private PostgreSQL of `dataDir`, or adopts the one that runs there.
 *
 * Every process that called this function holds the server until it calls `stop()` or ends. The last process that holds
 * the server stops it, whichever process started it. Processes that only know the URL (psql, a backup) do not hold it. The
 * next start adopts a server that nobody stopped.
 *
 * @throws EmbeddedError whose message is one line that says what to do
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const { dataDir, revive = false } = options
  const place = await preparePlace(dataDir)
  const first = await holdServer(place, options)
  const { url } = first.session
  const stopping = new AbortController()
  const last = revive ? keepHolding(place, first, options, stopping.signal) : null
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopping.abort()
    stopped ??= Promise.resolve(last ?? first).then((held) => leave(place, held))
    return stopped
  }
  return { url, adopted: first.adopted, stop }
}

/** Holds the server again each time that it is lost, until `stopping` is aborted. Returns the server that is held then. */
async function keepHolding(
  place: ServerPlace,
  first: HeldServer,
  options: EmbeddedOptions,
  stopping: AbortSignal,
): Promise<HeldServer> {
  const { onProgress = ignore, settings = {}, logCheckMs = LOG_CHECK_MS } = options
  const { url } = first.session
  // Other code goes on using the URL, so the port must not change.
  const same = { ...options, settings: { ...settings, port: new URL(url).port } }
  const aborted = once(stopping, 'abort')
  const endBounding = keepLogBounded(place, logCheckMs)
  stopping.addEventListener('abort', endBounding)
  let held = first
  for (;;) {
    await Promise.race([held.session.over, aborted])
    if (stopping.aborted) return held
    onProgress('The private PostgreSQL stopped. Starting it again')
    try {
      held = await holdServer(place, same)
      onProgress(
        held.session.url === url
          ? 'The private PostgreSQL is running again'
          : 'The private PostgreSQL is running again, but on another port. Restart this process.',
      )
    } catch (error) {
      onProgress(String(error instanceof Error ? error.message : error))
      await Promise.race([setTimeout(REVIVE_EVERY_MS, undefined, { ref: false }), aborted])
    }
  }
}

/** Each try looks for a server again, because another process may have started or stopped one since the last try. */
async function holdServer(place: ServerPlace, options: EmbeddedOptions): Promise<HeldServer> {
  let reason = 'it stopped again and again'
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const running = await findPostmaster(place)
    const held = running ? await adopt(place, running, options) : await start(place, options)
    if (typeof held !== 'string') return held
    reason = held
    await setTimeout(Math.min(MAX_RETRY_MS, MIN_RETRY_MS << attempt))
  }
  throw new EmbeddedError(
    `The private PostgreSQL could not be started: ${reason}`,
    ` (see ${place.logFile}, start again, or set DATABASE_URL).`,
  )
}

/** Returns the held server, or the reason why it could not be adopted. */
async function adopt(
  place: ServerPlace,
  pid: number,
  { onProgress = ignore }: EmbeddedOptions,
): Promise<HeldServer | string> {
  const session = await joinPostmaster(place, pid, onProgress)
  if (session === 'recovering') throw stillRecovering(place)
  return session === 'gone' ? 'the running server stopped' : { pid, adopted: true, session }
}

/** Returns the held server, or the reason why it could not be started now. */
async function start(place: ServerPlace, options: EmbeddedOptions): Promise<HeldServer | string> {
  const { onProgress = ignore, settings = {} } = options
  const programs = await findPrograms(place, onProgress)
  await ensureCluster(place, programs, onProgress)
  const { pid, whyEnded } = await launchPostmaster(place, programs, settings)
  const session = await joinPostmaster(place, pid, onProgress).catch(async (error) => {
    await haltPostmaster(place, pid)
    throw error
  })
  if (session === 'recovering') throw stillRecovering(place)
  return session === 'gone' ? await whyEnded() : { pid, adopted: false, session }
}

async function leave(place: ServerPlace, { pid, session }: HeldServer): Promise<void> {
  // A broken session cannot tell. The server is gone then, or it restarted after a crash, so connect and ask again.
  const alone = await session.takeAlone().catch(() => askAgain(place, pid))
  if (alone) await haltPostmaster(place, pid)
  await session.end()
}

async function askAgain(place: ServerPlace, pid: number): Promise<boolean> {
  const session = await joinPostmaster(place, pid, ignore)
  if (typeof session === 'string') return false
  const alone = await session.takeAlone()
  if (!alone) await session.end()
  return alone
}

function stillRecovering({ pgData, logFile }: ServerPlace): EmbeddedError {
  return new EmbeddedError(
    `The PostgreSQL of ${pgData} is still recovering after a crash: wait (${logFile} shows how far it is), then start again.`,
  )
}

function ignore(): void {}
