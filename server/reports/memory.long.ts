/** A statement of 100,000 lines needs the memory of one of 10,000, and the same file twice changes nothing. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openManyPayments, type Scene } from '../testing/books/many-scene.ts'
import { SECRETS_KEY } from '../testing/harness.ts'
import { startProcess } from '../testing/processes/child-process.ts'

const ENTRY = fileURLToPath(new URL('../admin.ts', import.meta.url))
const LINES = Number(process.env.STATEMENT_LINES ?? 100_000)
/** Six of seven payments are paid. */
const PAYMENTS = LINES * 1.2
/** One line in so many is of money that is not known here. */
const FOREIGN_EVERY = 50
const GROWTH_MAX = 1.25
/** Otherwise V8 lets garbage lie while the machine has memory, and the peak says little. */
const NODE_OPTIONS = '--max-old-space-size=96 --max-semi-space-size=8'
const SAMPLE_MS = 20

let scene: Scene
let folder: string
beforeAll(async () => {
  scene = await openManyPayments(PAYMENTS)
  folder = await mkdtemp(join(tmpdir(), 'kassa-statement-'))
  await scene.fill(PAYMENTS)
})
afterAll(async () => {
  await scene.kassa.close()
  await rm(folder, { recursive: true })
})

type Taken = { id: string; minor: number; at: Date }

/** Writes Stripe's balance report with the newest money that was taken. */
async function writeStatement(count: number): Promise<string> {
  const { rows } = await scene.kassa.ctx.db.query<Taken>(
    `select provider_id as id, amount_minor as minor, created_at as at from sandbox.entries where kind = 'taken'
     order by created_at desc limit $1`,
    [count],
  )
  const file = join(folder, `${count}.csv`)
  const head = 'balance_transaction_id,created_utc,currency,gross,fee,net,reporting_category,source_id\n'
  const lines = rows.map(({ id, minor, at }, index) => {
    const time = at.toISOString().slice(0, 19).replace('T', ' ')
    const source = index % FOREIGN_EVERY === 0 ? `foreign-${index}` : id
    return `txn_${id},${time},usd,${(minor / 100).toFixed(2)},0.30,0.00,charge,${source}\n`
  })
  await pipeline(Readable.from([head, ...lines]), createWriteStream(file))
  return file
}

/** Runs the command in a process of its own. Returns its answer, and the highest memory that it had. */
async function compare(file: string) {
  const { ctx, databaseUrl } = scene.kassa
  const args = ['reconcile', '--account', ctx.routes.route_a.id, '--file', file, '--json']
  const env = { MODE: 'sandbox', SECRETS_KEY, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', NODE_OPTIONS }
  const child = startProcess(ENTRY, { args, env })
  let stdout = ''
  let peakKb = 0
  child.stdout.on('data', (text: Buffer) => {
    stdout += text
  })
  const closed = once(child, 'close')
  while (child.exitCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8').catch(() => '')
    peakKb = Math.max(peakKb, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0))
    await sleep(SAMPLE_MS)
  }
  await closed
  return { answer: JSON.parse(stdout), peakKb }
}

async function digest(): Promise<string> {
  const { rows } = await scene.kassa.ctx.db.query(
    `select md5(string_agg(t, ' ' order by t)) as digest from (
       select md5(l::text) as t from sandbox.statement_lines l union all select md5(f::text) from sandbox.statement_findings f
       union all select md5(s::text) from sandbox.statements s union all select md5(w::text) from sandbox.payment_warnings w) t`,
  )
  return rows[0].digest
}

test('memory does not follow the length of the statement', async () => {
  const short = await compare(await writeStatement(LINES / 10))
  expect(short.answer).toMatchObject({ ok: true, lines: LINES / 10, newLines: LINES / 10 })
  const file = await writeStatement(LINES)
  const began = performance.now()
  const long = await compare(file)
  const seconds = (performance.now() - began) / 1_000
  expect(long.answer).toMatchObject({ ok: true, lines: LINES })
  expect(long.answer.missingHere).toBeGreaterThanOrEqual(LINES / FOREIGN_EVERY)
  const before = await digest()
  const again = await compare(file)
  expect(again.answer).toEqual({ ...long.answer, newLines: 0, settled: 0 })
  expect(await digest()).toBe(before)
  const peaks = [short, long, again].map(({ peakKb }) => Math.round(peakKb / 1_024))
  console.info(`peaks ${peaks.join(', ')} MB; ${LINES} lines in ${seconds.toFixed(1)} s`)
  expect(long.peakKb).toBeLessThan(short.peakKb * GROWTH_MAX)
  expect(again.peakKb).toBeLessThan(short.peakKb * GROWTH_MAX)
})
