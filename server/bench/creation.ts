/**
 * The benchmark compares the creation of a payment in Kassa with simple servers that only write rows. They take turns on one
 * PostgreSQL. `tx`: three inserts in a transaction. `cte`: the same as one statement. `null`: nothing stored.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import pg from 'pg'
import { startEmbedded } from '../postgres/embedded.ts'
import { allowDatabases } from '../postgres/role.ts'
import { openDb } from '../storage/db.ts'
import { atLeast } from './at-least.ts'
import { BASELINE_SCHEMA, BASELINES } from './baseline-storage.ts'
import { type Cell, startBaseline, startKassa } from './cells.ts'
import { prepareCheckouts } from './checkout.ts'
import { summarise, table } from './report.ts'
import { runRounds } from './rounds.ts'
import { measureStarts } from './starts.ts'

type Options = {
  rounds: number
  seconds: number
  connections: number
  pool: number
  starts: number
  against?: string
  json: boolean
}

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')

const command = new Command('bench')
  .description('Compare the creation of a payment session with bare baselines.')
  .option('--rounds <n>', 'turns of every server; figures are medians over them', atLeast(1), 5)
  .option('--seconds <n>', 'length of one turn', atLeast(1), 4)
  .option('--connections <n>', 'requests at once', atLeast(1), 16)
  .option('--pool <n>', 'database connections of every server', atLeast(1), 10)
  .option(
    '--against <dir>',
    'another checkout of Kassa, with its node_modules and its build, to measure beside this one',
  )
  .option('--starts <n>', 'starts of every checkout; their figures are medians too', atLeast(1), 3)
  .option('--json', 'one JSON object instead of the table', false)

/** Checks that every 201 is in the database. Otherwise the figures would be wrong. */
async function verify(cells: Cell[]): Promise<void> {
  for (const { name, created, databaseUrl, countSql } of cells) {
    const client = new pg.Client({ connectionString: databaseUrl, options: '-c search_path=sandbox,public' })
    await client.connect()
    const { rows } = await client.query<{ count: string | null }>(countSql).finally(() => client.end())
    const count = rows[0]?.count ? Number(rows[0].count) : null
    if (count !== null && count !== created)
      throw new Error(`${name} returned 201 for ${created} requests, but its database has ${count} payments.`)
  }
}

async function run(options: Options, signal: AbortSignal): Promise<void> {
  const progress = (line: string) => console.error(line)
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-bench-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  await chmod(dataDir, 0o755)
  const { url, stop } = await startEmbedded({ dataDir })
  stack.defer(stop)
  await allowDatabases(dataDir, url)
  const postmasterPid = Number.parseInt(
    await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
    10,
  )
  const db = openDb(url, { world: 'sandbox', max: 2 })
  stack.defer(() => db.end())
  const environment = { PATH: process.env.PATH ?? '', DATABASE_URL: url, DATA_DIR: dataDir, SECRETS_KEY }
  await db.query(BASELINE_SCHEMA)
  const { against } = options
  const checkouts = await prepareCheckouts(db, { ...(against && { against }), url, environment })
  const starts = await measureStarts(checkouts, { db, environment, rounds: options.starts })
  const cells: Cell[] = []
  const add = async (starting: Promise<Cell>) => {
    const cell = await starting
    stack.defer(cell.stop)
    cells.push(cell)
  }
  for (const checkout of checkouts) await add(startKassa(checkout, { environment, poolMax: options.pool }))
  for (const name of BASELINES) await add(startBaseline(name, { environment, poolMax: options.pool }))
  const turns = await runRounds({ ...options, cells, db, postmasterPid, signal, onProgress: progress })
  await verify(cells)
  const report = summarise(turns)
  if (options.json) console.log(JSON.stringify({ options, cpus: cpus().length, ...report, starts, turns }))
  else console.log(`\n${table(report, starts)}\n\nEvery payment with a 201 was found in the database.`)
}

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
try {
  await run(command.parse().opts<Options>(), stopping.signal)
} catch (error) {
  console.error(stopping.signal.aborted ? 'Stopped.' : error)
  process.exitCode = 1
}
