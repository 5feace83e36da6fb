/** A command that moves a database, in its own process or in the test's, and the places at which a test can hold it. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import pg from 'pg'
import { vi } from 'vitest'
import { moveDatabase } from '../../backup/move/move.ts'
import { openDb } from '../../storage/db.ts'
import { throughTcp } from '../database.ts'
import { SECRETS_KEY } from '../harness.ts'
import type { Operated } from '../operator.ts'
import { endProcess, startProcess, type TestProcess } from '../processes/child-process.ts'

const ADMIN = new URL('../../admin.ts', import.meta.url).pathname
const LOOK = { timeout: 60_000, interval: 25 }

/** `until`: waits until the command has printed this. `kill`: the databases see nothing more of it. */
export type Move = { until(text: string): Promise<void>; kill(): Promise<void> }

export class MoveCommand implements Move {
  readonly child: TestProcess
  readonly #output = { stdout: '', stderr: '' }
  /** Its output and its exit code, null if it was killed. */
  readonly ended: Promise<Operated>

  constructor(from: string, to: string) {
    const env = { MODE: 'sandbox', SECRETS_KEY, DATABASE_URL: from }
    this.child = startProcess(ADMIN, { args: ['database', 'move', '--to', to], env })
    for (const name of ['stdout', 'stderr'] as const)
      this.child[name].setEncoding('utf8').on('data', (text: string) => (this.#output[name] += text))
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => resolve({ code, ...this.#output })),
    )
  }

  async until(text: string): Promise<void> {
    await vi.waitUntil(() => this.#output.stdout.includes(text) || this.child.exitCode !== null, LOOK)
  }

  kill(): Promise<void> {
    return endProcess(this.child, 'SIGKILL')
  }
}

/** Stands between the test's process and a database until it is cut: then each connection is gone, and no other can be opened. */
async function openRelay(databaseUrl: string): Promise<{ url: string; cut(): void }> {
  const target = throughTcp(databaseUrl)
  const sockets: Socket[] = []
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const socket of [client, upstream]) sockets.push(socket.on('error', () => {}))
    client.pipe(upstream).pipe(client)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = throughTcp(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    cut() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Moves in this process, which takes a tenth of the CPU time of a command's own. A killed one can tell the databases nothing any more. */
export async function startMoveHere(from: string, to: string): Promise<Move> {
  const relays = await Promise.all([openRelay(from), openRelay(to)])
  const [source, target] = relays.map(({ url }) => openDb(url, { world: 'sandbox', max: 4 }))
  if (!source || !target) throw new Error('Bug! Each relay has an address.')
  const lines: string[] = []
  const moving = moveDatabase(source, target, {
    target: new URL(to).host + new URL(to).pathname,
    now: () => new Date(),
    act: { id: 'move', who: 'tester', operator: null, from: 'host test', what: 'database move' },
    onProgress: (line) => lines.push(line),
  }).then(
    () => 'ended',
    () => 'failed',
  )
  return {
    until: (text) => vi.waitUntil(() => lines.some((line) => line.includes(text)), LOOK).then(() => {}),
    async kill() {
      for (const relay of relays) relay.cut()
      if ((await moving) === 'ended') throw new Error('The move had ended before it was killed.')
      await Promise.all([source.end(), target.end()])
    },
  }
}

/** `from`, `to`: clients of the test. A transaction of theirs makes the command wait at one place. */
export type Place = { move: Move; from: pg.Client; to: pg.Client }

/** The statement that closes the old database waits for a lock of the test's session. */
const HOLD_CLOSING = `select pg_advisory_lock(1); create or replace function kassa.hold_closing() returns trigger language plpgsql
  as 'begin perform pg_advisory_xact_lock_shared(1); return new; end';
  create or replace trigger hold_closing before update of finished_at on kassa.moves
  for each row execute function kassa.hold_closing()`
const CLOSING = `exists (select from pg_stat_activity
  where wait_event_type = 'Lock' and query like 'update kassa.moves set finished_at%')`
const FENCED = `exists (select from pg_trigger where tgname = 'kassa_moved')`

export const isTrue = async (client: pg.Client, text: string): Promise<boolean> =>
  (await client.query(`select ${text} as found`)).rows[0]?.found
const untilTrue = (client: pg.Client, text: string) => vi.waitUntil(() => isTrue(client, text), LOOK)

/** `before`: called before the command is started. `reached`: returns when the command is at this place. */
export const PLACES: Record<
  string,
  { before?(clients: Omit<Place, 'move'>): Promise<unknown>; reached(place: Place): Promise<unknown> }
> = {
  'some tables refuse writes and others do not yet': {
    before: ({ from }) => from.query('begin; lock table sandbox.sandbox_workers in row exclusive mode'),
    reached: ({ to, from }) => Promise.all([untilTrue(from, FENCED), to.query('select')]),
  },
  'rows are being copied': { reached: ({ move }) => move.until('1 of ') },
  'the rows are compared': { reached: ({ move }) => move.until('Comparing every row') },
  'everything is compared and the old database is about to be closed': {
    before: ({ from }) => from.query(HOLD_CLOSING),
    reached: ({ from }) => untilTrue(from, CLOSING),
  },
  'the old database is closed and the other one is not yet open': {
    before: ({ from }) => from.query(HOLD_CLOSING),
    async reached({ from, to }) {
      await untilTrue(from, CLOSING)
      // The trigger of this table cannot be dropped beside a reader.
      await to.query('begin; select from sandbox.provider_exchanges limit 1')
      await from.query('select pg_advisory_unlock(1)')
      await untilTrue(from, 'exists (select from kassa.moves where finished_at is not null)')
    },
  },
}

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  client.on('error', () => {})
  await client.connect()
  return client
}
