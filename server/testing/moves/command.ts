/** A command that moves a database, in its own process, and the places at which a test can hold it. */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { vi } from 'vitest'
import { SECRETS_KEY } from '../harness.ts'
import type { Operated } from '../operator.ts'
import { endProcess, startProcess, type TestProcess } from '../processes/child-process.ts'

const ADMIN = new URL('../../admin.ts', import.meta.url).pathname
const LOOK = { timeout: 60_000, interval: 5 }

export class MoveCommand {
  readonly child: TestProcess
  readonly startedMs = performance.now()
  readonly #said = { stdout: '', stderr: '' }
  /** Its output and its exit code, null if it was killed. */
  readonly ended: Promise<Operated>

  constructor(args: string[], settings: Record<string, string>) {
    this.child = startProcess(ADMIN, { args, env: { MODE: 'sandbox', SECRETS_KEY, ...settings } })
    for (const name of ['stdout', 'stderr'] as const)
      this.child[name].setEncoding('utf8').on('data', (text: string) => (this.#said[name] += text))
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code) => resolve({ code, ...this.#said })),
    )
  }

  /** Waits until the command has printed this. */
  async until(text: string): Promise<void> {
    await vi.waitUntil(() => this.#said.stdout.includes(text) || this.child.exitCode !== null, LOOK)
  }

  kill(): Promise<void> {
    return endProcess(this.child, 'SIGKILL')
  }
}

/** `from`, `to`: clients of the test. A transaction of theirs makes the command wait at one place. */
export type Place = { move: MoveCommand; from: pg.Client; to: pg.Client }

/** The statement that closes the old database waits for a lock of the test's session. */
const HOLD_CLOSING = `select pg_advisory_lock(1); create or replace function kassa.hold_closing() returns trigger language plpgsql
  as 'begin perform pg_advisory_xact_lock_shared(1); return new; end';
  create or replace trigger hold_closing before update of finished_at on kassa.moves
  for each row execute function kassa.hold_closing()`
const CLOSING = `exists (select from pg_stat_activity
  where wait_event_type = 'Lock' and query like 'update kassa.moves set finished_at%')`

export const isTrue = async (client: pg.Client, text: string): Promise<boolean> =>
  (await client.query(`select ${text} as found`)).rows[0]?.found
export const untilTrue = (client: pg.Client, text: string) => vi.waitUntil(() => isTrue(client, text), LOOK)
/** The move is noted as fenced before its first table refuses writes. */
const untilFenced = (client: pg.Client) =>
  untilTrue(client, 'exists (select from kassa.moves where fenced_at is not null)')
const untilAllFenced = (client: pg.Client) =>
  untilTrue(
    client,
    `not exists (select from pg_trigger t where tgname = 'kassa_track_insert' and not exists (
       select from pg_trigger f where f.tgname = 'kassa_moved' and f.tgrelid = t.tgrelid))
     and exists (select from kassa.moves where fenced_at is not null)`,
  )

/** Each returns when the command is at this place. */
export const PLACES = {
  'some tables refuse writes and others do not yet': async ({ move, from }: Place) => {
    await move.until('Comparing every row')
    await from.query('begin')
    await from.query('lock table sandbox.sandbox_workers in row exclusive mode')
    await untilFenced(from)
    await sleep(1_000)
  },
  'the old database is closed and the other one is not yet open': async ({ move, from, to }: Place) => {
    await move.until('Comparing every row')
    await to.query('begin')
    await to.query('select from sandbox.provider_exchanges limit 1')
    await untilTrue(from, 'exists (select from kassa.moves where finished_at is not null)')
  },
  'rows are copied': ({ move }: Place) => move.until('20 of '),
  'the rows are compared': ({ move }: Place) => move.until('Comparing every row'),
  'every write is refused and the last rows are brought over': ({ from }: Place) => untilAllFenced(from),
  'everything is brought over and the old database is about to be closed': async ({ move, from }: Place) => {
    await move.until('1 of ')
    await from.query(HOLD_CLOSING)
    await untilTrue(from, CLOSING)
  },
} as const
export type PlaceName = keyof typeof PLACES

export async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: 'test' })
  // A test may kill its server.
  client.on('error', () => {})
  await client.connect()
  return client
}
