/** A deployment with paid and refunded payments, for the tests of backups: its commands, databases and folders. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, inject } from 'vitest'
import { takeOrderNumber } from '../../storage/accounts/order-numbers.ts'
import { type Db, openDb } from '../../storage/db.ts'
import { askOperation, createSession, payAtBank, sessionRequest } from '../calls.ts'
import { createEmptyDatabase, type TestDatabase } from '../database.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, startKassa } from '../harness.ts'
import { operateProcess as operateAlone } from '../operator.ts'
import { endProcess, startProcess } from '../processes/child-process.ts'
import { type Receiver, startReceiver } from '../receiver.ts'

const ADMIN = new URL('../../admin.ts', import.meta.url).pathname
export const PAYMENTS = 4

export type BackupScene = {
  kassa: Kassa
  shop: Shop
  /** A new directory for the files of the tests. */
  folder: string
  /** The payments that were made first. */
  paid: string[]
  /** The settings of a command on this deployment. */
  source(): Record<string, string>
  /** Makes a payment and refunds half of it. */
  sell(order: string): Promise<string>
  /** Returns the next number of an order. */
  nextNumber(db: Db): Promise<number>
  /** The database is dropped after the test. */
  emptyDatabase(): Promise<TestDatabase & { db: Db }>
}

/** Creates the deployment before the tests of the file, and removes it after them. */
export function openBackupScene(): BackupScene {
  let receiver: Receiver
  const databases: TestDatabase[] = []
  const scene: BackupScene = {
    ...({} as Pick<BackupScene, 'kassa' | 'shop' | 'folder' | 'paid'>),
    source: () => ({ DATABASE_URL: scene.kassa.databaseUrl }),
    sell,
    nextNumber,
    emptyDatabase,
  }
  beforeAll(async () => {
    scene.kassa = await startKassa({ worker: true })
    receiver = await startReceiver(() => 200)
    scene.shop = await openShop(scene.kassa.ctx, { callbackUrl: receiver.url })
    scene.folder = await mkdtemp(join(tmpdir(), 'kassa-backup-'))
    scene.paid = []
    for (let count = 0; count < PAYMENTS; count++) scene.paid.push(await sell(`first-${count}`))
  })
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.drop()
  })
  afterAll(async () => {
    await scene.kassa.close()
    await receiver.close()
    await rm(scene.folder, { recursive: true, force: true })
  })
  return scene

  async function sell(order: string): Promise<string> {
    const { kassa, shop } = scene
    const { body } = await createSession(kassa.url, shop, {
      key: order,
      body: sessionRequest({
        merchantOrderId: order,
        metadata: { note: 'Tea of\tDilijan \\ "green" \n շնորհակալություն' },
      }),
    })
    await payAtBank(body.providerCheckoutUrl, 'paid')
    await askOperation(kassa.url, shop, body.id, 'refunds', {
      key: order,
      body: { amountMinor: 950, reason: 'half' },
    })
    return body.id
  }

  async function nextNumber(db: Db): Promise<number> {
    const taken = await takeOrderNumber(db, 'acc_test_numbered', { first: 1, last: 1_000 })
    return taken?.number ?? 0
  }

  async function emptyDatabase(): Promise<TestDatabase & { db: Db }> {
    const database = await createEmptyDatabase(inject('postgresUrl'))
    databases.push(database)
    return { ...database, db: openDb(database.url, { world: 'sandbox', max: 2 }) }
  }
}

/** Starts a command in its own process, and kills it after a while. Returns whether it had ended before. */
export async function killAfter(
  ms: number,
  settings: Record<string, string>,
  args: string[],
): Promise<boolean> {
  const child = startProcess(ADMIN, { args, env: { MODE: 'sandbox', SECRETS_KEY, ...settings } })
  child.stdout.resume()
  child.stderr.resume()
  await sleep(ms)
  const hadEnded = child.exitCode !== null
  await endProcess(child, 'SIGKILL')
  return hadEnded
}

/** Measures how long the whole command takes in its own process. @throws Error if it fails */
export async function timeCommand(settings: Record<string, string>, args: string[]): Promise<number> {
  const started = performance.now()
  const { code, stderr } = await operateAlone(settings, args)
  if (code !== 0) throw new Error(stderr)
  return performance.now() - started
}

/** Returns moments of a command that takes this long, from its start to its end. */
export const momentsOf = (wholeMs: number, kills: number) =>
  Array.from({ length: kills }, (_, index) => ((index + 0.5) / kills) * wholeMs)
