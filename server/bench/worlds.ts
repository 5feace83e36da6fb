/**
 * Measures how much the sandbox slows the live world down if one process serves both. Live creations run in turns: alone, beside
 * creations in the sandbox, and beside both creations and repeated `clock advance`. For comparison they also run beside a separate
 * service with the same load. The loss there comes from the machine, not from the sandbox.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { allowAccount } from '../accounts/manage.ts'
import { readConfig } from '../config.ts'
import { issueToken } from '../merchants/api-key.ts'
import { approveOrigin } from '../merchants/origin.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { allowDatabases } from '../postgres/role.ts'
import { openService } from '../service.ts'
import { openDb } from '../storage/db.ts'
import { upsertEvidence } from '../storage/merchants/onboarding.ts'
import { atLeast } from './at-least.ts'
import { familyCpuMs, processCpuMs } from './cpu.ts'
import { type Request, runLoad } from './load.ts'
import type { Report } from './neighbour.ts'
import { freePort, KASSA_SETTINGS, startService } from './processes.ts'
import { requests } from './requests.ts'
import { compareTurns, quantile } from './rounds.ts'

type Options = { rounds: number; seconds: number; connections: number; neighbours: number }
type Service = { pid: number; port: number; next(): Request }
type Tokens = { live: string; sandbox: string; other: string }
/**
 * `sandboxRate`: creations a second of the neighbour. `generatorCpu` and `clockCpu`: the processor time that the neighbour's load
 * generator and the process that moves the clock used, in processors.
 */
type Turn = {
  rate: number
  p50Ms: number
  p99Ms: number
  sandboxRate: number
  advances: number
  generatorCpu: number
  clockCpu: number
  /** Processor time of the service, of PostgreSQL and of the command that moves the clock, in microseconds per live creation. */
  cpuUs: number
}

const ROOT = join(import.meta.dirname, '../..')
const NEIGHBOUR = join(import.meta.dirname, 'neighbour.ts')
const WARM_UP_SECONDS = 3
/** The live load that runs before each measurement, so that every process knows that the live world is busy. */
const LEAD_SECONDS = 1
/** What a neighbour does while the live world is measured. */
const NEIGHBOURS = {
  alone: { load: null, clock: false },
  sandbox: { load: 'same', clock: false },
  'sandbox + clock': { load: 'same', clock: true },
  'other service': { load: 'other', clock: false },
} as const
type Neighbour = keyof typeof NEIGHBOURS
type Round = Record<Neighbour, Turn>

/** Creates a merchant with a token in each world, who may use the live manual route. */
async function prepare(environment: Record<string, string>): Promise<Omit<Tokens, 'other'>> {
  const { worlds, close } = await openService(readConfig(environment))
  const { live, sandbox } = worlds
  if (!live) throw new Error('MODE=live serves no live world.')
  const { merchantId } = await createMerchant(sandbox, { name: 'Bench' })
  await approveOrigin(sandbox, merchantId, 'https://shop.example')
  const seen = { evidence: 'benchmark', recordedAt: sandbox.clock.now() }
  for (const step of ['callback_verified', 'test_payment'] as const)
    await upsertEvidence(sandbox.db, merchantId, { step, ...seen })
  await allowAccount(live, { accountId: live.routes.manual.id, merchantId, allowed: true })
  const tokenOf = async (ctx: typeof live) => (await issueToken(ctx, { merchantId })).token
  const tokens = { live: await tokenOf(live), sandbox: await tokenOf(sandbox) }
  await close()
  return tokens
}

/** Creates a merchant in a deployment that serves only a sandbox. */
async function prepareOther(environment: Record<string, string>): Promise<string> {
  const { ctx, close } = await openService(readConfig(environment))
  const { merchantId } = await createMerchant(ctx, { name: 'Other' })
  const { token } = await issueToken(ctx, { merchantId })
  await close()
  return token
}

type Helper = { mark(): void; end(): Promise<Report> }
const NO_HELPER: Helper = { mark() {}, end: async () => ({ count: 0, cpuSeconds: 0 }) }

/** Resolves when the process has begun its work. `end` stops the process and resolves to its figures since `mark`. */
async function startNeighbour(words: string[], environment: Record<string, string>): Promise<Helper> {
  const child = fork(NEIGHBOUR, words, { env: environment })
  await once(child, 'message')
  return {
    mark: () => void child.send('mark'),
    async end() {
      const exited = once(child, 'exit')
      child.send('end')
      const [report] = await once(child, 'message')
      await exited
      return report
    },
  }
}

type Stage = Options & {
  live: Service
  other: Service
  postmasterPid: number
  tokens: Tokens
  environment: Record<string, string>
}

async function measure(stage: Stage, neighbour: Neighbour): Promise<Turn> {
  const { live, other, postmasterPid, tokens, environment, seconds, connections, neighbours } = stage
  const { load, clock } = NEIGHBOURS[neighbour]
  const { port } = load === 'other' ? other : live
  const words = ['load', `${port}`, load === 'other' ? tokens.other : tokens.sandbox, `${neighbours}`]
  const advancing = clock ? await startNeighbour(['clock', `${live.port}`], environment) : NO_HELPER
  const loading = load ? await startNeighbour(words, environment) : NO_HELPER
  const cpuNow = async () =>
    (await processCpuMs(live.pid)) + (await processCpuMs(other.pid)) + (await familyCpuMs(postmasterPid))
  const signal = new AbortController().signal
  const run = (amount: { seconds: number }) =>
    runLoad({ ports: [live.port], connections, amount, next: live.next, signal })
  await run({ seconds: LEAD_SECONDS })
  advancing.mark()
  loading.mark()
  const cpuBefore = await cpuNow()
  const result = await run({ seconds })
  if (result.refused > 0) throw new Error(`The live world rejected ${result.refused} requests.`)
  const cpuMs = (await cpuNow()) - cpuBefore
  const [loaded, advanced] = await Promise.all([loading.end(), advancing.end()])
  return {
    rate: result.done / result.seconds,
    p50Ms: quantile(result.latenciesMs, 0.5),
    p99Ms: quantile(result.latenciesMs, 0.99),
    sandboxRate: loaded.count / result.seconds,
    advances: advanced.count,
    generatorCpu: loaded.cpuSeconds / result.seconds,
    clockCpu: advanced.cpuSeconds / result.seconds,
    cpuUs: ((cpuMs + advanced.cpuSeconds * 1_000) / result.done) * 1_000,
  }
}

/** Returns the address of a new database beside the one at `url`. */
async function createDatabase(dataDir: string, url: string, name: string): Promise<string> {
  await allowDatabases(dataDir, url)
  const db = openDb(url, { world: 'sandbox', max: 1 })
  await db.query(`create database ${name}`).finally(() => db.end())
  return Object.assign(new URL(url), { pathname: `/${name}` }).href
}

/** Starts the database and both services. `stack` ends them. */
async function openStage(stack: AsyncDisposableStack, options: Options): Promise<Stage> {
  const dataDir = await makeDirectory(stack)
  await chmod(dataDir, 0o755)
  const { url, stop } = await startEmbedded({ dataDir })
  stack.defer(stop)
  const environment = {
    ...KASSA_SETTINGS,
    PATH: process.env.PATH ?? '',
    DATABASE_URL: url,
    DATA_DIR: dataDir,
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
    MODE: 'live',
    BASE_URL: 'https://pay.example',
    DEFAULT_PROVIDER: 'manual',
    TRUST_PROXY: '1',
  }
  const otherUrl = await createDatabase(dataDir, url, 'bench_other')
  const elsewhere = { ...environment, DATABASE_URL: otherUrl, DATA_DIR: await makeDirectory(stack) }
  const { DEFAULT_PROVIDER: _, ...other } = { ...elsewhere, MODE: 'sandbox' }
  const tokens = { ...(await prepare(environment)), other: await prepareOther(other) }
  const start = async (name: string, given: Record<string, string>) => {
    // As a proxy writes it: the live world answers only over https.
    const headers = { Authorization: `Bearer ${tokens.live}`, 'X-Forwarded-Proto': 'https' }
    const next = requests(name, '/v1/payment-sessions', headers, 'manual')
    const { pid, port, stop } = await startService(ROOT, { ...given, PORT: `${await freePort()}` })
    stack.defer(stop)
    return { pid, port: await port, next }
  }
  return {
    ...options,
    tokens,
    environment,
    postmasterPid: Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10),
    live: await start('live', environment),
    other: await start('other', other),
  }
}

async function makeDirectory(stack: AsyncDisposableStack): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'kassa-bench-'))
  stack.defer(() => rm(path, { recursive: true, force: true }))
  return path
}

async function run(options: Options): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const stage = await openStage(stack, options)
  const names = Object.keys(NEIGHBOURS) as Neighbour[]
  const { port, next } = stage.live
  const amount = { seconds: WARM_UP_SECONDS }
  await runLoad({
    ports: [port],
    connections: options.connections,
    amount,
    next,
    signal: new AbortController().signal,
  })
  const rounds: Round[] = []
  for (let round = 0; round < options.rounds; round++) {
    const turns = {} as Round
    for (let place = 0; place < names.length; place++) {
      const name = names[(place + round) % names.length] ?? 'alone'
      turns[name] = await measure(stage, name)
    }
    rounds.push(turns)
    const rates = names.map(
      (name) => `${name} ${turns[name].rate.toFixed(0)} (${turns[name].cpuUs.toFixed(0)} us)`,
    )
    console.error(rates.join(', '))
  }
  for (const name of names) console.log(describe(rounds, name))
}

/** Returns a line with the medians over all rounds. */
function describe(rounds: readonly Round[], name: Neighbour): string {
  const { of, to: toAlone } = compareTurns(rounds, name, 'alone')
  return [
    `${name.padEnd(16)} ${of('rate')} live creations a second, p50 ${of('p50Ms', 1)} ms, p99 ${of('p99Ms', 1)} ms, beside ${of('sandboxRate')} a second; ${toAlone('rate')} of alone`,
    `${of('advances')} advances, ${of('cpuUs')} us of processor time, ${toAlone('cpuUs')} of alone, processors of load generator ${of('generatorCpu', 2)} and of clock ${of('clockCpu', 2)}`,
  ].join('; ')
}

await run(
  new Command('bench -- worlds')
    .description('Measure live creations alone, and beside load and clock advances in the sandbox.')
    .option('--rounds <n>', 'turns of each; figures are medians over them', atLeast(1), 5)
    .option('--seconds <n>', 'length of one turn', atLeast(1), 4)
    .option('--connections <n>', 'live requests at once', atLeast(1), 16)
    .option('--neighbours <n>', 'sandbox requests at once', atLeast(1), 16)
    .parse()
    .opts<Options>(),
)
