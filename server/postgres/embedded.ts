// The embedded PostgreSQL: a private server on 127.0.0.1 for those who have none. It is a program of its own beside
// Node, and outlives a Node that is killed; so starting means first of all looking for one that already runs.
//
// There is no lock file. Every step either is atomic (a rename, PostgreSQL's own pid file, a lock inside the server)
// or may be done twice; who comes second finds what the first one made and uses it.

import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { ensureCluster } from './cluster.ts'
import { EmbeddedError } from './error.ts'
import { launchPostmaster } from './launch.ts'
import { type Place, preparePlace } from './place.ts'
import { findPostmaster, haltPostmaster } from './postmaster.ts'
import { findPrograms } from './program.ts'
import { joinPostmaster, type Session } from './session.ts'

export { EmbeddedError } from './error.ts'
export { defaultDataDir, findEarlierData } from './place.ts'

/** `adopted`: it ran already. `stop` may be called more than once; end the pools on `url` before. */
export type EmbeddedPostgres = { url: string; adopted: boolean; stop(): Promise<void> }

export type EmbeddedOptions = {
  dataDir: string
  /** Should the server be killed, start it again on the same port, until `stop()`. Default false. */
  revive?: boolean
  /** Lines for the operator about what takes long. */
  onProgress?: (line: string) => void
  /** Settings of PostgreSQL that replace ours. A server that is adopted keeps those it was started with. */
  settings?: Record<string, string>
}

/** What a start needs; `adopted` tells how it was had. */
type Held = { pid: number; adopted: boolean; session: Session }

const MAX_TRIES = 12
const MIN_RETRY_MS = 20
const MAX_RETRY_MS = 250
const REVIVE_EVERY_MS = 5_000

/**
 * Starts the private PostgreSQL of `dataDir`, or adopts the one that runs there.
 *
 * Who stops it: every process that got it from here holds it until its `stop()` or its own end, and the last one out
 * stops it, whoever started it. Processes that only know the URL (psql, a backup) do not hold it. A server that nobody
 * stopped is adopted by the next start.
 *
 * Throws EmbeddedError with one line that says what to do.
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

/** Holds the server again each time that it was lost, until told to stop. Answers what is held then. */
async function keepHolding(
  place: Place,
  first: Held,
  options: EmbeddedOptions,
  stopping: AbortSignal,
): Promise<Held> {
  const { onProgress = ignore, settings = {} } = options
  const { url } = first.session
  // Whoever has the URL goes on with it, so the port stays.
  const same = { ...options, settings: { ...settings, port: new URL(url).port } }
  const asked = once(stopping, 'abort')
  let held = first
  for (;;) {
    await Promise.race([held.session.over, asked])
    if (stopping.aborted) return held
    onProgress('The private PostgreSQL was lost: looking for it, and starting it again')
    try {
      held = await holdServer(place, same)
      onProgress(
        held.session.url === url
          ? 'The private PostgreSQL is there again'
          : 'The private PostgreSQL is there again, but at another port: restart this process',
      )
    } catch (error) {
      onProgress(String(error instanceof Error ? error.message : error))
      await Promise.race([setTimeout(REVIVE_EVERY_MS, undefined, { ref: false }), asked])
    }
  }
}

/** Each try looks anew: between two looks another process may have started, or stopped, the server. */
async function holdServer(place: Place, options: EmbeddedOptions): Promise<Held> {
  let reason = 'it ended again and again'
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const running = await findPostmaster(place)
    const held = running ? await adopt(place, running, options) : await start(place, options)
    if (typeof held !== 'string') return held
    reason = held
    await setTimeout(Math.min(MAX_RETRY_MS, MIN_RETRY_MS << attempt))
  }
  throw new EmbeddedError(
    `The private PostgreSQL could not be started: ${reason} (see ${place.logFile}, start again, or set DATABASE_URL).`,
  )
}

/** The held server, or why it could not be adopted. */
async function adopt(
  place: Place,
  pid: number,
  { onProgress = ignore }: EmbeddedOptions,
): Promise<Held | string> {
  const session = await joinPostmaster(place, pid, onProgress)
  if (session === 'recovering') throw stillRecovering(place)
  return session === 'gone' ? 'the running one ended' : { pid, adopted: true, session }
}

/** The held server, or why it could not be started now. */
async function start(place: Place, options: EmbeddedOptions): Promise<Held | string> {
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

async function leave(place: Place, { pid, session }: Held): Promise<void> {
  // A session that broke cannot tell; then the server is gone, or restarted by itself after a crash: ask it anew.
  const alone = await session.takeAlone().catch(() => askAnew(place, pid))
  if (alone) await haltPostmaster(place, pid)
  await session.end()
}

async function askAnew(place: Place, pid: number): Promise<boolean> {
  const session = await joinPostmaster(place, pid, ignore)
  if (typeof session === 'string') return false
  const alone = await session.takeAlone()
  if (!alone) await session.end()
  return alone
}

function stillRecovering({ pgData, logFile }: Place): EmbeddedError {
  return new EmbeddedError(
    `The PostgreSQL of ${pgData} is still recovering after a crash: wait (${logFile} shows how far it is), then start again.`,
  )
}

function ignore(): void {}
