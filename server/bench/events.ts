/**
 * The delivery benchmark compares Kassa's delivery of events with a plain loop that posts the same bytes with the same HTTP client
 * and concurrency. Both take turns, and post to one fast receiver in its own process.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { pino } from 'pino'
import { readConfig } from '../config.ts'
import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { startEmbedded } from '../postgres/embedded.ts'
import { createVault } from '../secrets/vault.ts'
import { openDb } from '../storage/db.ts'
import { migrate } from '../storage/migrate.ts'
import { startWorker } from '../worker/worker.ts'
import { createContext } from '../world.ts'
import { atLeast } from './at-least.ts'

type Options = { rounds: number; events: number; merchants: number; json: boolean }

/** The concurrency with which the service posts to one receiver. */
const AT_ONCE = 4
const BODY = JSON.stringify({ type: 'payment.status_changed', filler: 'x'.repeat(900) })

const command = new Command('bench -- events')
  .description('Compare the delivery of events with a bare loop that posts the same bytes.')
  .option('--rounds <n>', 'turns of each; figures are medians over them', atLeast(1), 5)
  .option('--events <n>', 'events in a turn', atLeast(100), 5_000)
  .option('--merchants <n>', 'merchants who get the events, all at the same address', atLeast(1), 4)
  .option('--json', 'one JSON object instead of text', false)

function serve(): void {
  const server = createServer((incoming, answer) => incoming.resume().on('end', () => answer.end('ok')))
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
  process.on('disconnect', () => process.exit())
}

/** Returns the posts per second. */
async function bareLoop(port: number, { events, merchants }: Options): Promise<number> {
  const agent = new Agent({ keepAlive: true })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(BODY) }
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers, agent }, (answer) =>
        answer.resume().on('end', resolve),
      )
      call.on('error', reject).end(BODY)
    })
  let left = events
  const started = performance.now()
  const work = async () => {
    while (left-- > 0) await post()
  }
  await Promise.all(Array.from({ length: AT_ONCE * merchants }, work))
  agent.destroy()
  return events / ((performance.now() - started) / 1000)
}

/** Returns the deliveries per second, from the time when the events are due until the last one is recorded as delivered. */
async function deliverAll(ctx: Context, merchantIds: string[], events: number): Promise<number> {
  const now = ctx.clock.now()
  const owners = Array.from({ length: events }, (_, index) => merchantIds[index % merchantIds.length] ?? '')
  const ids = owners.map((owner) => newId('sandbox', 'evt', owner, now))
  await ctx.db.query(
    `with written as (
       insert into sandbox.events (merchant_id, id, payment_id, sequence, status, body, due_at, created_at)
       select merchant_id, id, id, 1, 'paid', $3, $4, $4 from unnest($1::text[], $2::text[]) as e (merchant_id, id)
       returning merchant_id, id)
     select sandbox_jobs.add_job('deliver_event', json_build_object('merchantId', merchant_id, 'eventId', id), job_key => id)
     from written`,
    [owners, ids, BODY, now],
  )
  const written = performance.now()
  for (;;) {
    const { rows } = await ctx.db.query(
      'select exists (select from sandbox.events where due_at is not null and merchant_id = any($1)) as waits',
      [merchantIds],
    )
    if (!rows[0].waits) break
    await sleep(50)
  }
  return events / ((performance.now() - written) / 1000)
}

const median = (values: number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

async function run(options: Options): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'kassa-bench-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  await chmod(dataDir, 0o755)
  const { url, stop } = await startEmbedded({ dataDir })
  stack.defer(stop)
  const receiver = fork(import.meta.filename, ['serve'])
  stack.defer(() => void receiver.disconnect())
  const [port] = (await once(receiver, 'message')) as [number]
  const config = readConfig({ LOG_LEVEL: 'silent' })
  const db = openDb(url, { world: 'sandbox', max: config.poolMax })
  stack.defer(() => db.end())
  await migrate(db, ['sandbox'])
  const secretsKey = Buffer.alloc(32, 7).toString('base64')
  const ctx = createContext(config, {
    db,
    log: pino({ level: 'silent' }),
    vault: createVault([secretsKey]),
    localUrl: 'http://127.0.0.1',
  })
  const merchants = await Promise.all(
    Array.from({ length: options.merchants }, (_, index) =>
      createMerchant(ctx, { name: 'Bench', callbackUrl: `http://127.0.0.1:${port}/${index}` }),
    ),
  )
  const merchantIds = merchants.map(({ merchantId }) => merchantId)
  const worker = await startWorker(ctx)
  stack.defer(() => worker.stop())
  await deliverAll(ctx, merchantIds, 1_000)
  await bareLoop(port, { ...options, events: 1_000 })
  const turns: { kassa: number; bare: number }[] = []
  for (let round = 0; round < options.rounds; round++) {
    const kassa = await deliverAll(ctx, merchantIds, options.events)
    const bare = await bareLoop(port, options)
    turns.push({ kassa, bare })
    console.error(
      `round ${round + 1} of ${options.rounds}: kassa ${kassa.toFixed(0)}, bare ${bare.toFixed(0)} a second`,
    )
  }
  const figures = {
    kassa: median(turns.map((turn) => turn.kassa)),
    bare: median(turns.map((turn) => turn.bare)),
    ratio: median(turns.map((turn) => turn.kassa / turn.bare)),
  }
  if (options.json) console.log(JSON.stringify({ options, ...figures, turns }))
  else
    console.log(
      `\nkassa ${figures.kassa.toFixed(0)} deliveries a second, bare loop ${figures.bare.toFixed(0)}; ratio ${figures.ratio.toFixed(2)} (aim: at least 0.5)`,
    )
}

if (process.argv[2] === 'serve') serve()
else await run(command.parse().opts<Options>())
