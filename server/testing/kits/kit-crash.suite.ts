/**
 * A kit under all faults at once: two processes behind a balancer, two workers if the kit has any, kills in the middle of
 * events, repeated events, and a shop that is down for a third of the events. The short and the long test both use this suite.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { setCallback } from '../../receivers/receiver.ts'
import { type Kassa, openShop, startKassa } from '../harness.ts'
import { seededRandom } from '../random.ts'
import { type Balancer, startBalancer } from './balancer.ts'
import { countEvents, judgeOrder, liveOrder, PRICE, planOrders } from './kit-orders.ts'
import type { KitProcess } from './kit-processes.ts'
import { type KitShop, openKitShop } from './kit-shop.ts'
import type { KitRunner } from './runners.ts'

/** The shop is down for five events of fifteen. */
const DOWN_EVERY = 15
const DOWN_FOR = 5
const DOWN_PAUSE_MS = 40
/** Every third event goes to both processes at once. */
const TWICE_EVERY = 3
const KILL_AFTER_MS_MAX = 30
const DELIVERED_WITHIN = { timeout: 300_000, interval: 100 }
const DECIDED_WITHIN = { timeout: 30_000, interval: 100 }
const SETTLE_MS = 1_000

const settings = { EVENT_RETRY_DELAYS: `0${',1'.repeat(60)}`, LOG_LEVEL: 'silent' }

/** Returns what happened, as a row of a table. */
export async function surviveKitCrashes(
  runner: KitRunner,
  { events, kills, seed }: { events: number; kills: number; seed: number },
): Promise<string> {
  const started = performance.now()
  const orders = planOrders(events)
  const kassa = await startKassa({ settings, worker: true })
  const { merchantId, webhookSecret } = await openShop(kassa.ctx)
  const readFile = async (path: string) => (await fetch(`${kassa.url}${path}`)).text()
  const kit = await openKitShop(runner, { webhookSecret, readFile })
  const trouble = await startTrouble(kit, { orders, kills, seed })
  try {
    await setCallback(kassa.ctx, merchantId, trouble.balancer.url)
    for (const order of orders) await liveOrder(kassa.ctx, merchantId, order)
    await expect.poll(() => countUndelivered(kassa), DELIVERED_WITHIN).toBe(0)
    const { arrived, down, killed } = await trouble.end()
    await expect.poll(() => kit.countPending(), DECIDED_WITHIN).toBe(0)
    // A second delivery would come from a process that is still running. Real time: a second delivery comes within this time, or the test
    // does not see it.
    await sleep(SETTLE_MS)
    const tasks = await kit.listTasks()
    for (const order of orders) judgeOrder(order, tasks)
    const failures = kit.output().split('is tried again').length - 1
    expect([killed, failures > 0]).toEqual([kills, true])
    const count = (name: string) => tasks.filter(({ task }) => task === name).length
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    const figures = [countEvents(orders), arrived, down, killed, failures, orders.length]
    const made = [count('DELIVER'), count('ASK A PERSON'), count('NOTE')]
    return `| ${[runner.label, ...figures, ...made, seconds, seed].join(' | ')} |`
  } finally {
    await trouble.end()
    await trouble.balancer.close()
    await kit.close()
    await kassa.close()
  }
}

export const HEADINGS =
  '| Kit | events | arrivals | while down | kills | failed tries | orders | delivered | person asked | noted | seconds | seed |'

type Trouble = {
  balancer: Balancer
  /** Ends the faults: the shop is up, and every process runs. */
  end(): Promise<{ arrived: number; down: number; killed: number }>
}

/** Starts the kit's processes. While events arrive, the shop goes down and up, and processes are killed. */
async function startTrouble(
  kit: KitShop,
  { orders, kills, seed }: { orders: ReturnType<typeof planOrders>; kills: number; seed: number },
): Promise<Trouble> {
  const random = seededRandom(seed)
  const events = countEvents(orders)
  const prices = { orders: Object.fromEntries(orders.map(({ orderId }) => [orderId, PRICE])) }
  const figures = { arrived: 0, down: 0, killed: 0 }
  await kit.writePrices(prices)
  const processes: KitProcess[] = [await kit.startWeb(), await kit.startWeb()]
  const workers = processes.map(() => kit.startWorker())
  let restarted: Promise<void> = Promise.resolve()

  async function restart(at: number): Promise<void> {
    // Real time: a process may be killed at any moment.
    await sleep(random(0, KILL_AFTER_MS_MAX))
    const port = processes[at]?.port
    await Promise.all([workers[at]?.kill(), processes[at]?.kill()])
    workers[at] = kit.startWorker()
    processes[at] = await kit.startWeb(port)
  }

  async function beforeEvent(): Promise<number> {
    const index = figures.arrived++
    const phase = index % DOWN_EVERY
    if (phase < DOWN_FOR) figures.down++
    if (phase === 0) await kit.writePrices('{')
    if (phase === DOWN_FOR) {
      // The kit works after it has responded. Without the pause the shop would be up again before the last event is handled.
      // Real time: the receiver is away for a while.
      await sleep(DOWN_PAUSE_MS)
      await kit.writePrices(prices)
    }
    if (figures.killed < kills && index >= (events * (figures.killed + 1)) / (kills + 1)) {
      await restarted
      restarted = restart(figures.killed++ % processes.length)
    }
    return index % TWICE_EVERY === 0 ? 2 : 1
  }

  const balancer = await startBalancer(
    processes.map(({ port }) => port),
    beforeEvent,
  )
  return {
    balancer,
    async end() {
      await restarted
      await kit.writePrices(prices)
      return figures
    },
  }
}

async function countUndelivered({ ctx }: Kassa): Promise<number> {
  const { rows } = await ctx.db.query(
    "select count(*)::int as n from sandbox.events where state <> 'delivered'",
  )
  return rows[0].n
}
