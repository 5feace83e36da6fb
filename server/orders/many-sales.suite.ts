/** Many sales at once, while the workers are killed: each order is decided once, and each piece of news is in one mail. */
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { createSession } from '../payments/creation/session.ts'
import { applyStatus } from '../payments/transition.ts'
import { ORDER_BOOK_URL, setCallback } from '../receivers/receiver.ts'
import { setOrderBook } from '../storage/orders/books.ts'
import { sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, SECRETS_KEY, startKassa } from '../testing/harness.ts'
import { headersOf, type MailServer, startMailServer } from '../testing/mail-server.ts'
import { endProcess, startProcess, type TestProcess } from '../testing/processes/child-process.ts'
import { LEASE_MS, startMails } from '../worker/mails.ts'
import { notifyOwners, OWNER_MAILS_AN_HOUR } from './news.ts'
import { workOnDue } from './work.ts'

const ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url))
const PATIENCE = { timeout: 120_000, interval: 20 }
/** Not more than the connections of a pool: on a busy machine a sale would wait for one until it gives up. */
const AT_ONCE = 8
/** A worker sends so many mails at once, so a kill can repeat so many. */
const MAILS_AT_ONCE = 4
const WORKERS = 2
const HOUR_MS = 3_600_000
const MONEY = { authorizedMinor: 1900, capturedMinor: 1900, refundedMinor: 0 }

/** Returns what happened in a sentence. */
export async function surviveManySales({ sales, kills }: { sales: number; kills: number }): Promise<string> {
  const started = performance.now()
  const server = await startMailServer()
  const settings = {
    SMTP_URL: server.url,
    MAIL_FROM: 'orders@pay.example',
    EVENT_RETRY_DELAYS: `0${',1'.repeat(40)}`,
    DELIVERY_LEASE: '3',
    LOG_LEVEL: 'silent',
  }
  const kassa = await startKassa({ settings })
  const workers = Array.from({ length: WORKERS }, () => startWorker(kassa, settings))
  try {
    const merchantId = await openBook(kassa)
    const sold = sellMany(kassa, merchantId, sales)
    for (let kill = 0; kill < kills; kill++) {
      const share = Math.floor((sales * (kill + 1)) / (kills + 1))
      await expect.poll(() => countDecided(kassa), PATIENCE).toBeGreaterThanOrEqual(share)
      await endProcess(workers[kill % WORKERS] as TestProcess)
      workers[kill % WORKERS] = startWorker(kassa, settings)
    }
    await sold
    await expect.poll(() => countDecided(kassa), PATIENCE).toBe(sales)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    await Promise.all(workers.map((worker) => endProcess(worker)))
    await tellTheRest(kassa)
    const mails = await judge(kassa, server, { sales, kills })
    return `${sales} sales, ${kills} kills: each order once after ${seconds} s, in ${mails} mails, ${server.arrived.length - mails} of them repeated`
  } finally {
    await Promise.all(workers.map((worker) => endProcess(worker)))
    await kassa.close()
    await server.close()
  }
}

function startWorker({ databaseUrl }: Kassa, settings: Record<string, string>): TestProcess {
  const env = { MODE: 'sandbox', SECRETS_KEY, DATABASE_URL: databaseUrl, ...settings, PROCESS: 'worker' }
  const child = startProcess(ENTRY, { env })
  child.stdout.resume()
  child.stderr.pipe(process.stderr)
  return child
}

async function openBook({ ctx }: Kassa): Promise<string> {
  const { merchantId } = await openShop(ctx)
  await setCallback(ctx, merchantId, ORDER_BOOK_URL)
  const notices = { email: 'potter@shop.example', locale: 'en', told: 'at_once', silent: [] } as const
  await setOrderBook(ctx.db, { merchantId, ...notices, silent: [] }, ctx.clock.now())
  return merchantId
}

async function sellMany({ ctx }: Kassa, merchantId: string, sales: number): Promise<void> {
  const sell = async (at: number) => {
    const request = sessionRequest({ merchantOrderId: `sale-${at}`, provider: 'manual' })
    const { session } = await createSession(ctx, { merchantId, idempotencyKey: `sale-${at}`, request })
    await applyStatus(ctx, { merchantId, id: session.id }, { to: 'paid', money: MONEY, cause: 'provider' })
  }
  for (let at = 0; at < sales; at += AT_ONCE)
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, sales - at) }, (_, index) => sell(at + index)))
}

async function count({ ctx }: Kassa, query: string): Promise<number> {
  return (await ctx.db.query(`select count(*)::int as n from ${query}`)).rows[0].n
}

const countDecided = (kassa: Kassa) => count(kassa, "sandbox.orders where decision = 'deliver'")

/**
 * News beyond the limit of an hour goes into the mails of the next hour. Mails that a dead worker has claimed are due when its lease has
 * ended.
 */
async function tellTheRest(kassa: Kassa): Promise<void> {
  while ((await workOnDue(kassa.ctx)) > 0);
  const mails = startMails(kassa.ctx)
  const untold = 'sandbox.order_changes where news is not null and mail_id is null'
  while ((await count(kassa, untold)) + (await count(kassa, "sandbox.mails where state = 'waiting'")) > 0) {
    kassa.clock.advance(Math.max(HOUR_MS, LEASE_MS))
    await notifyOwners(kassa.ctx)
    await mails.turn()
    await mails.settle()
  }
  await mails.stop()
}

/** Returns how many mails there are. */
async function judge(
  kassa: Kassa,
  server: MailServer,
  { sales, kills }: { sales: number; kills: number },
): Promise<number> {
  expect(await count(kassa, 'sandbox.orders')).toBe(sales)
  // Each order has the one change that decided it.
  expect(await count(kassa, "sandbox.order_changes where kind = 'deliver'")).toBe(sales)
  expect(await count(kassa, 'sandbox.order_changes')).toBe(sales)
  const { rows: mails } = await kassa.ctx.db.query<{ id: string; count: number; told: number }>(
    `select m.id, (m.notice ->> 'count')::int as count,
       (select count(*)::int from sandbox.order_changes c where c.mail_id = m.id) as told
     from sandbox.mails m where m.kind = 'order_news' order by m.id`,
  )
  expect(mails.filter((each) => each.count !== each.told)).toEqual([])
  expect(mails.reduce((sum, each) => sum + each.count, 0)).toBe(sales)
  expect(mails.length).toBeLessThanOrEqual(OWNER_MAILS_AN_HOUR * 2)
  const arrived = server.arrived.map((each) => headersOf(each)['message-id'])
  expect(new Set(arrived)).toEqual(new Set(mails.map(({ id }) => `<${id}@pay.example>`)))
  expect(arrived.length - mails.length).toBeLessThanOrEqual(kills * MAILS_AT_ONCE)
  return mails.length
}
