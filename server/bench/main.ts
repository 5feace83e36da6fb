/**
 * The benchmark compares the creation of a payment in Kassa with simple servers that only write rows. They take turns on one
 * PostgreSQL. `tx`: three inserts in a transaction. `cte`: the same as one statement. `null`: nothing stored.
 */
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import { issueToken } from '../merchants/api-key.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { type Db, openDb } from '../storage/db.ts'
import { migrate } from '../storage/migrate.ts'
import { createVault } from '../vault.ts'
import { createContext } from '../world.ts'
import { atLeast } from './at-least.ts'
import { BASELINE_SCHEMA, BASELINES } from './baseline-storage.ts'
import { type Cell, startBaseline, startKassa } from './cells.ts'
import { summarise, table } from './report.ts'
import { runRounds } from './rounds.ts'

type Options = { rounds: number; seconds: number; connections: number; pool: number; json: boolean }

const SECRETS_KEY = Buffer.alloc(32, 7).toString('base64')

const command = new Command('bench')
  .description('Measures the creation of a payment session against bare baselines.')
  .option('--rounds <n>', 'turns of every server; figures are medians over them', atLeast(1), 5)
  .option('--seconds <n>', 'length of one turn', atLeast(1), 4)
  .option('--connections <n>', 'requests at once', atLeast(1), 16)
  .option('--pool <n>', 'database connections of every server', atLeast(1), 10)
  .option('--json', 'one JSON object instead of the table', false)

/** Creates a merchant with a token, in a database with the current schema and the tables of the baselines. */
async function prepare(db: Db): Promise<string> {
  await migrate(db, ['sandbox'])
  await db.query(BASELINE_SCHEMA)
  const config = readConfig({ LOG_LEVEL: 'silent' })
  const log = pino({ level: config.logLevel })
  const ctx = createContext(config, {
    db,
    log,
    vault: createVault([SECRETS_KEY]),
    localUrl: 'http://127.0.0.1',
  })
  const { merchantId } = await createMerchant(ctx, { name: 'Bench' })
  return (await issueToken(ctx, { merchantId })).token
}

/** Every 201 must be in the database. Otherwise the measurement would count payments that were not stored. */
async function verify(db: Db, cells: Cell[]): Promise<void> {
  for (const { name, created, countSql } of cells) {
    const { count } = (await db.query<{ count: number | null }>(countSql)).rows[0] ?? {}
    if (count !== null && count !== created)
      throw new Error(`${name} answered 201 to ${created} requests, but the database holds ${count}.`)
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
  const postmasterPid = Number.parseInt(
    await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'),
    10,
  )
  const db = openDb(url, { world: 'sandbox', max: 2 })
  stack.defer(() => db.end())
  const environment = { PATH: process.env.PATH ?? '', DATABASE_URL: url, DATA_DIR: dataDir, SECRETS_KEY }
  const token = await prepare(db)
  const cells: Cell[] = []
  const add = async (starting: Promise<Cell>) => {
    const cell = await starting
    stack.defer(cell.stop)
    cells.push(cell)
  }
  await add(startKassa(token, { environment, poolMax: options.pool }))
  for (const name of BASELINES) await add(startBaseline(name, { environment, poolMax: options.pool }))
  const turns = await runRounds({ ...options, cells, postmasterPid, signal, onProgress: progress })
  await verify(db, cells)
  const report = summarise(turns)
  if (options.json) console.log(JSON.stringify({ options, cpus: cpus().length, ...report, turns }))
  else console.log(`\n${table(report)}\n\nEvery 201 was found in the database again.`)
}

const stopping = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
try {
  await run(command.parse().opts<Options>(), stopping.signal)
} catch (error) {
  console.error(stopping.signal.aborted ? 'Stopped.' : error)
  process.exitCode = 1
}
