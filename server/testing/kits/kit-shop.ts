/** A shop that runs a receiver kit: its folder, its processes, its prices and the tasks that the kit has written. */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { KITS } from '../../http/reference/kits.ts'
import { freePort } from '../harness.ts'
import { endProcess, endWithTest } from '../processes/child-process.ts'
import type { KitRunner } from './runners.ts'

const READY_WITHIN_MS = 15_000
const RETRY_SECONDS = '0.5'
/** The pause before a program is started again that cron would start every minute. */
const CRON_MS = 300
/** Without work it is started only once in this many times, because a framework takes a while to find that there is none. */
const IDLE_RUNS = 8
const LOCK_WAIT_MS = 8_000

export type KitTask = { task: string; orderId: string; paymentId: string; sequence: number; why: string }
export type KitProcess = { port: string; kill(): Promise<void> }

export type KitShop = {
  folder: string
  output(): string
  /** Starts one more process that receives events, on this port or on a free one. Resolves when it responds. */
  startWeb(port?: string): Promise<KitProcess>
  /** Starts the program that retries, if the kit has one. */
  startWorker(): KitProcess
  /** A text that is not JSON makes `findOrder` fail, as if the shop was down. */
  writePrices(prices: object | string): Promise<void>
  listTasks(): KitTask[]
  countPending(): number
  close(): Promise<void>
}

/** `readFile` returns a file of the kit as the service serves it. */
export async function openKitShop(
  runner: KitRunner,
  { webhookSecret, readFile }: { webhookSecret: string; readFile(path: string): Promise<string> },
): Promise<KitShop> {
  const folder = await mkdtemp(join(tmpdir(), 'kassa-kit-'))
  const database = join(folder, 'kassa.sqlite')
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    PYTHONDONTWRITEBYTECODE: '1',
    KASSA_WEBHOOK_SECRET: webhookSecret,
    KASSA_DATABASE: database,
    KASSA_RETRY_SECONDS: RETRY_SECONDS,
  }
  const running = new Set<KitProcess>()
  let output = ''
  await runner.prepare?.(folder, env)
  for (const { path, file } of KITS.find(({ label }) => label === runner.label)?.files ?? []) {
    const place = join(folder, runner.places?.[file] ?? file)
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, await readFile(path))
  }
  runner.finish?.(folder, env)

  function run([command = '', ...args]: string[], port: string) {
    const child = spawn(command, args, {
      cwd: folder,
      env: { ...env, PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text
      })
    return endWithTest(child)
  }

  function keep(kit: KitProcess): KitProcess {
    running.add(kit)
    return kit
  }

  function read<Row>(sql: string): Row[] {
    const db = new DatabaseSync(database, { readOnly: true, timeout: LOCK_WAIT_MS })
    try {
      return db.prepare(sql).all() as Row[]
    } finally {
      db.close()
    }
  }

  const countPending = () =>
    read<{ n: number }>(`select count(*) as n from ${runner.payments} where pending = 1`)[0]?.n ?? 0

  return {
    folder,
    output: () => output,
    async startWeb(port) {
      const at = port ?? String(await freePort())
      const child = run(runner.web(at), at)
      const kit = keep({ port: at, kill: () => endProcess(child) })
      const deadline = performance.now() + READY_WITHIN_MS
      while (!(await fetch(`http://127.0.0.1:${at}/`).then(Boolean, () => false))) {
        if (performance.now() > deadline || child.exitCode !== null)
          throw new Error(`The kit does not answer:\n${output}`)
        await sleep(30)
      }
      return kit
    },
    startWorker() {
      const { worker } = runner
      if (!worker) return { port: '', kill: async () => {} }
      let child = run(worker, '')
      let over = false
      let turns = 0
      const again = () => {
        if (over) return
        if (++turns % IDLE_RUNS > 0 && countPending() === 0) wait()
        else child = run(worker, '').once('exit', wait)
      }
      const wait = () => setTimeout(again, CRON_MS)
      child.once('exit', wait)
      return keep({
        port: '',
        async kill() {
          over = true
          await endProcess(child)
        },
      })
    },
    async writePrices(prices) {
      const draft = join(folder, 'prices.draft')
      await writeFile(draft, typeof prices === 'string' ? prices : JSON.stringify(prices))
      await rename(draft, join(folder, 'prices.json'))
    },
    listTasks: () =>
      read<KitTask>(
        `select task, order_id as orderId, payment_id as paymentId, sequence, why from ${runner.tasks} order by created_at`,
      ),
    countPending,
    async close() {
      await Promise.all([...running].map((kit) => kit.kill()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
