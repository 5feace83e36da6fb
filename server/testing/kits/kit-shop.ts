/** A shop that runs a receiver kit: its folder, its processes, its prices and the tasks that the kit has written. */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { KITS } from '../../documents/reference/kits.ts'
import { type KitProcess, openKitProcesses } from './kit-processes.ts'
import type { KitRunner } from './runners.ts'

const RETRY_SECONDS = '0.5'
const LOCK_WAIT_MS = 8_000

export type KitTask = { task: string; orderId: string; paymentId: string; sequence: number; why: string }

export type KitShop = {
  folder: string
  output(): string
  /** Starts one more process that receives events, on this port or on a free one. Resolves when it responds. */
  startWeb(port?: string): Promise<KitProcess>
  /** Starts the program that retries, if the kit has one. */
  startWorker(): KitProcess
  /** A text that is not JSON makes `findOrder` fail, as if the shop was down. */
  writePrices(prices: object | string): Promise<void>
  listTasks(): Promise<KitTask[]>
  countPending(): Promise<number>
  close(): Promise<void>
}

export type Kit = { webhookSecret: string; readFile(path: string): Promise<string> }

/** `readFile` returns a file of the kit as the service serves it. */
export async function openKitShop(runner: KitRunner, kit: Kit): Promise<KitShop> {
  if (runner.open) return runner.open(runner, kit)
  const { webhookSecret, readFile } = kit
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
  await install(runner, { folder, env, readFile })
  let opened: DatabaseSync | undefined
  /** Reads the shop's database while its processes write to it. */
  function readRows<Row>(sql: string): Row[] {
    opened ??= new DatabaseSync(database, { readOnly: true, timeout: LOCK_WAIT_MS })
    return opened.prepare(sql).all() as Row[]
  }
  const countPending = async () =>
    readRows<{ n: number }>('select count(*) as n from kassa_payments where pending = 1')[0]?.n ?? 0
  const { killAll, ...processes } = openKitProcesses(runner, { folder, env, countPending })
  return {
    folder,
    ...processes,
    async writePrices(prices) {
      const draft = join(folder, 'prices.draft')
      await writeFile(draft, typeof prices === 'string' ? prices : JSON.stringify(prices))
      await rename(draft, join(folder, 'prices.json'))
    },
    listTasks: async () =>
      readRows<KitTask>(
        'select task, order_id as orderId, payment_id as paymentId, sequence, why from kassa_tasks order by created_at',
      ),
    countPending,
    async close() {
      await killAll()
      opened?.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Writes the files of the kit to where its framework wants them. */
async function install(
  runner: KitRunner,
  { folder, env, readFile }: Pick<Kit, 'readFile'> & { folder: string; env: Record<string, string> },
): Promise<void> {
  await runner.prepare?.(folder, env)
  for (const { path, file } of KITS.find(({ label }) => label === runner.label)?.files ?? []) {
    const place = join(folder, runner.places?.[basename(file)] ?? basename(file))
    await mkdir(dirname(place), { recursive: true })
    await writeFile(place, await readFile(path))
  }
  await runner.finish?.(folder, env)
}
