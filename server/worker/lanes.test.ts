/** One account whose provider hangs, and one register that hangs, delay nothing of the others. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { referenceOf } from '../id.ts'
import type { Driver } from '../providers/driver.ts'
import type { RouteFiscal } from '../providers/fiscal/driver.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { openLedger } from '../testing/providers/ledger-bank.ts'
import { startWorker, type Worker } from './worker.ts'

const HANGING = 100
const STARTS_WITHIN_MS = 1_000
/** What one account may have under way of one kind. */
const LIMIT = 10
type Slot = 'route_a' | 'route_b'

let kassa: Kassa
let shop: Shop
let worker: Worker
const hung = Promise.withResolvers<never>()
hung.promise.catch(() => {})
/** Calls of route_b that hang, by kind. */
const hanging = { questions: 0, receipts: 0 }
/** When route_a was first called about something. */
const startedAt = new Map<string, number>()

beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  openLedger(kassa.ctx, { route: 'route_a' })
  openLedger(kassa.ctx, { route: 'route_b' })
})
afterAll(async () => {
  hung.reject(new Error('the connection was reset'))
  await worker?.stop()
  await kassa.close()
})

async function pay(route: Slot, order: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: order, provider: route })
  const { id } = (await createSession(kassa.url, shop, { key: order, body })).body
  expect((await lookUp(kassa.url, shop, id)).body.status).toBe('paid')
  return id
}
const refund = (id: string) =>
  askOperation(kassa.url, shop, id, 'refunds', {
    key: `refund-${id}`,
    body: { amountMinor: 100, reason: 'r' },
  })
const makeDue = (ids: string[]) =>
  kassa.ctx.db.query('update sandbox.attempts set question_due_at = created_at where payment_id = any($1)', [
    ids,
  ])

/** From now on route_b's provider and its register answer nothing. */
function hang(): void {
  const { route_b: route } = kassa.ctx.routes
  const lookUp = () => {
    hanging.questions += 1
    return hung.promise
  }
  route.driver = { ...(route.driver as Driver), lookUp } as Driver
}

/** The register of route_b hangs from the start, so that every receipt of it waits. */
function hangRegister(): void {
  const { route_b: route } = kassa.ctx.routes
  const fiscal = route.fiscal as RouteFiscal
  const issueReceipt = () => {
    hanging.receipts += 1
    return hung.promise
  }
  route.fiscal = { ...fiscal, register: 'dead', driver: { ...fiscal.driver, issueReceipt } }
}

function watch(): void {
  const { route_a: route } = kassa.ctx.routes
  const driver = route.driver as Driver
  const fiscal = route.fiscal as RouteFiscal
  const note = (what: string) => startedAt.has(what) || startedAt.set(what, performance.now())
  const lookUp: Driver['lookUp'] = (call, order) => {
    note(`question ${order.reference}`)
    return (driver.lookUp as NonNullable<Driver['lookUp']>)(call, order)
  }
  const refund: Driver['refund'] = (call, write) => {
    note(`refund ${write.reference}`)
    return (driver.refund as NonNullable<Driver['refund']>)(call, write)
  }
  const issueReceipt: RouteFiscal['driver']['issueReceipt'] = (call, order) => {
    note('receipt')
    return fiscal.driver.issueReceipt(call, order)
  }
  route.driver = { ...driver, lookUp, refund } as Driver
  route.fiscal = { ...fiscal, driver: { ...fiscal.driver, issueReceipt } }
}

/** Returns how long it took from `since` until route_a was called about `what`. */
async function delayOf(what: string, since: number): Promise<number> {
  await expect.poll(() => startedAt.has(what), { timeout: 15_000, interval: 10 }).toBe(true)
  return (startedAt.get(what) ?? 0) - since
}

test(`while ${HANGING} calls hang at one account, the questions, refunds and receipts of others start within a second`, async () => {
  hangRegister()
  const stuck: string[] = []
  for (let count = 0; count < HANGING; count++) stuck.push(await pay('route_b', `stuck-${count}`))
  for (const id of stuck) await refund(id)
  await makeDue(stuck)
  const asked = await pay('route_a', 'asked')
  const refunded = await pay('route_a', 'refunded')
  // Printed before the worker starts, so that the receipt below is the first that it prints.
  await kassa.ctx.db.query(`update sandbox.receipts set due_at = null where register <> 'dead'`)
  hang()
  worker = await startWorker(kassa.ctx)
  // Ten questions and ten refunds: the account has no more under way, whatever waits.
  await expect.poll(() => hanging, { timeout: 4_000 }).toEqual({ questions: 2 * LIMIT, receipts: 1 })
  watch()

  const now = performance.now()
  await makeDue([asked])
  await refund(refunded)
  await pay('route_a', 'printed')
  const delays = {
    question: await delayOf(`question ${referenceOf(asked)}`, now),
    refund: await delayOf(`refund ${referenceOf(refunded)}`, now),
    receipt: await delayOf('receipt', now),
  }
  for (const [what, delay] of Object.entries(delays))
    expect([what, delay < STARTS_WITHIN_MS, delay]).toEqual([what, true, delay])
}, 60_000)
