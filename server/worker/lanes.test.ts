/** One account whose provider hangs, and one register that hangs, delay nothing of the others. */
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { referenceOf } from '../id.ts'
import type { Driver } from '../providers/driver.ts'
import type { RouteFiscal } from '../providers/fiscal/driver.ts'
import { askOperation, createSession, lookUp, sessionRequest } from '../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { openLedger } from '../testing/providers/ledger-bank.ts'
import { LANES } from './sweeps.ts'
import { LANES_MS, startWorker, type Worker } from './worker.ts'

const HANGING = 30
/** A second, counted in turns of the worker. On a busy machine its turns are as slow as everything else. */
const STARTS_WITHIN_TURNS = 1_000 / LANES_MS
/** What one account may have under way of one kind, and of the questions about payments with money. */
const LIMIT = 10
const SETTLED_LIMIT = 4
type Slot = 'route_a' | 'route_b'

let kassa: Kassa
let shop: Shop
let worker: Worker
const hung = Promise.withResolvers<never>()
hung.promise.catch(() => {})
/** Calls of route_b that hang, by kind. */
const hanging = { questions: 0, receipts: 0 }
/** How often the worker has looked for due work of each kind. */
const turns = { settledSync: 0, moneyOperations: 0, fiscalReceipts: 0 }
type Kind = keyof typeof turns
/** In which turn of its kind route_a was first called about something. */
const startedIn = new Map<string, number>()

beforeAll(async () => {
  for (const kind of Object.keys(turns) as Kind[]) {
    const { list } = LANES[kind]
    vi.spyOn(LANES[kind], 'list').mockImplementation((ctx) => {
      turns[kind] += 1
      return list(ctx)
    })
  }
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  openLedger(kassa.ctx, { route: 'route_a' })
  openLedger(kassa.ctx, { route: 'route_b' })
})
afterAll(async () => {
  hung.reject(new Error('the connection was reset'))
  await worker?.stop()
  vi.restoreAllMocks()
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
  const note = (kind: Kind, what: string) => startedIn.has(what) || startedIn.set(what, turns[kind])
  const lookUp: Driver['lookUp'] = (call, order) => {
    note('settledSync', `question ${order.reference}`)
    return (driver.lookUp as NonNullable<Driver['lookUp']>)(call, order)
  }
  const refund: Driver['refund'] = (call, write) => {
    note('moneyOperations', `refund ${write.reference}`)
    return (driver.refund as NonNullable<Driver['refund']>)(call, write)
  }
  const issueReceipt: RouteFiscal['driver']['issueReceipt'] = (call, order) => {
    note('fiscalReceipts', 'receipt')
    return fiscal.driver.issueReceipt(call, order)
  }
  route.driver = { ...driver, lookUp, refund } as Driver
  route.fiscal = { ...fiscal, driver: { ...fiscal.driver, issueReceipt } }
}

/** Returns the turn in which route_a is called about `what`. */
async function turnOf(what: string): Promise<number> {
  await expect.poll(() => startedIn.has(what), { interval: 10 }).toBe(true)
  return startedIn.get(what) ?? 0
}

test(`while ${HANGING} calls hang at one account, the questions, refunds and receipts of others start within ${STARTS_WITHIN_TURNS} turns of the worker`, async () => {
  hangRegister()
  const stuck: string[] = []
  for (let count = 0; count < HANGING; count++) stuck.push(await pay('route_b', `stuck-${count}`))
  for (const id of stuck) await refund(id)
  await makeDue(stuck)
  const questioned = await pay('route_a', 'asked')
  const refunded = await pay('route_a', 'refunded')
  // Printed before the worker starts, so that the receipt below is the first that it prints.
  await kassa.ctx.db.query(`update sandbox.receipts set due_at = null where register <> 'dead'`)
  hang()
  worker = await startWorker(kassa.ctx)
  // Four questions of the schedule and ten of refunds: the account has no more under way, whatever waits.
  await expect.poll(() => hanging).toEqual({ questions: LIMIT + SETTLED_LIMIT, receipts: 1 })
  watch()

  // A turn counts once the work is due. On a busy machine many turns pass while it becomes due.
  await makeDue([questioned])
  const askable = turns.settledSync
  await refund(refunded)
  const refundable = turns.moneyOperations
  await pay('route_a', 'printed')
  const printable = turns.fiscalReceipts
  const delays = {
    question: (await turnOf(`question ${referenceOf(questioned)}`)) - askable,
    refund: (await turnOf(`refund ${referenceOf(refunded)}`)) - refundable,
    receipt: (await turnOf('receipt')) - printable,
  }
  for (const [what, delay] of Object.entries(delays))
    expect([what, delay <= STARTS_WITHIN_TURNS, delay]).toEqual([what, true, delay])
})
