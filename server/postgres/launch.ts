// Launches a postmaster: its settings, port and log, and the reason from its log when it ends at once.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { EmbeddedError, explainOutput } from './error.ts'
import { openLog } from './log-file.ts'
import type { ServerPlace } from './place.ts'
import { type Programs, programOptions } from './program.ts'

/** A postmaster that was started. `whyEnded` returns a temporary reason, or throws one that another try cannot change. */
export type Launched = { pid: number; whyEnded(): Promise<string> }

/** For a small server with full durability. The log never contains statements or values, because these contain buyers' data. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '64MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  wal_compression: 'on',
  io_method: 'sync', // no helper processes for reading: the data is small and in memory
  max_parallel_workers_per_gather: '0', // parallel queries need more shared memory than a container grants
  jit: 'off',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'off',
  log_destination: 'stderr',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Temporary reasons, and reasons that another port avoids. */
const PASSING = [
  { sign: /lock file "postmaster.pid"/, reason: 'another process is starting it as well' },
  {
    sign: /pre-existing shared memory block/,
    reason: 'processes of the PostgreSQL before it are still ending',
  },
  {
    sign: /could not (bind|create any TCP)|Address already in use/,
    reason: 'no port of 127.0.0.1 could be used',
  },
]

/** Starts a postmaster in its own session, so that neither Ctrl-C nor the end of this process ends it. */
export async function launchPostmaster(
  place: ServerPlace,
  programs: Programs,
  settings: Record<string, string>,
): Promise<Launched> {
  const port = await freePort()
  const log = await openLog(place)
  try {
    const { size } = await log.stat()
    const args = ['-D', place.pgData, ...settingArguments({ ...SETTINGS, port: `${port}`, ...settings })]
    const stdio = ['ignore', log.fd, log.fd] as ['ignore', number, number]
    const child = spawn(programs.postgres, args, { ...programOptions(place), detached: true, stdio })
    const ended = endOf(child)
    child.unref()
    if (child.pid === undefined) throw explainOutput(await ended, 'be started', place.logFile)
    const { pid } = child
    return {
      pid,
      whyEnded: async () => {
        child.ref()
        return explainEnd(place, await ended, await logSince(place, size, pid))
      },
    }
  } finally {
    await log.close()
  }
}

function settingArguments(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

async function endOf(child: ChildProcess): Promise<string> {
  try {
    const [code, signal] = await once(child, 'exit')
    return `it ended with ${signal ?? `code ${code}`}`
  } catch (error) {
    return String(error)
  }
}

function explainEnd(place: ServerPlace, end: string, output: string): string {
  const passing = PASSING.find(({ sign }) => sign.test(output))
  if (passing) return passing.reason
  throw explainOutput(output || end, 'be started', place.logFile)
}

/** Returns a free port. If another process takes it before the launch, the next try uses another port. */
async function freePort(): Promise<number> {
  const server = createServer()
  try {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address && typeof address === 'object') return address.port
    throw new Error('no address')
  } catch (error) {
    throw new EmbeddedError(
      `No port of 127.0.0.1 can be used (${String(error)}). Set DATABASE_URL to a PostgreSQL server of your own.`,
    )
  } finally {
    server.close()
  }
}

/**
 * Returns the lines of this postmaster if they contain the reason. Otherwise returns all lines since the launch: before the
 * postmaster has read its settings its lines have no pid, and a failed recovery is reported by another process.
 */
async function logSince(place: ServerPlace, offset: number, pid: number): Promise<string> {
  const lines = (await readFile(place.logFile)).subarray(offset).toString().split('\n')
  const own = lines.filter((line) => line.includes(`[${pid}] `))
  return (own.some((line) => line.includes(' FATAL: ')) ? own : lines).join('\n').trim()
}
