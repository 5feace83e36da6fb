/**
 * Random histories of payments in two worlds, with four merchants and four banks. Buyers, merchants, operators and workers act in the
 * same second, banks lie and lose answers, processes die at any statement, and clocks jump. After every turn the rules that must
 * always hold are checked in the database. At the end our amounts are compared with the banks'.
 * The seed decides what happens. Where several act at once, PostgreSQL decides who comes first.
 */
import fc from 'fast-check'
import type { Context } from '../../context.ts'
import { call } from '../../testing/calls.ts'
import { removeModelDrivers } from '../../testing/model/bank.ts'
import {
  closeDeployment,
  type Deployment,
  resetDeployment,
  rotate,
  startDeployment,
} from '../../testing/model/deployment.ts'
import { findFaults, type Stage } from '../../testing/model/faults.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { advance, type Counts, type History, ordersOf, settle, sweepAll } from './model-history.suite.ts'
import { STEPS, type Step } from './model-scenes.suite.ts'

const TURNS_MAX = 14
const DAY_MINUTES = 24 * 60

/** What happens in the same second. `dies`: this process dies after so many statements in each world. */
type Turn = { steps: Step[]; dies: { who: 'web' | 'worker'; after: number } | null }

/** Takes a turn. If a process dies in it, the next turn has a new process. */
async function take(history: History, { steps, dies }: Turn): Promise<void> {
  const { kassa, banks } = history.deployment
  const web = [kassa.ctx, kassa.live]
  const alive = web.map(({ db }) => db)
  const worker = new Map(web.map((each) => [each, { ...each }]))
  history.worker = (each) => worker.get(each) ?? each
  let isDead = false
  const kill = (each: Context, after: number) => {
    each.db = mortalDb(each.db, after, () => {
      isDead = true
    })
  }
  if (dies) for (const each of dies.who === 'web' ? web : worker.values()) kill(each, dies.after)
  for (const bank of banks.values())
    bank.kill = () => {
      for (const each of [...web, ...worker.values()]) if (each.world === bank.ctx.world) kill(each, 0)
    }
  history.counts.steps += steps.length
  try {
    await Promise.all(
      steps.map((step) =>
        STEPS[step.kind](history, step).catch((error: unknown) => {
          if (!isDead) throw error
        }),
      ),
    )
  } finally {
    for (const [at, each] of web.entries()) each.db = alive[at] ?? each.db
    for (const bank of banks.values()) bank.kill = () => {}
    history.worker = (each) => each
    if (isDead) history.counts.crashes++
  }
}

/** Makes every bank answer again, and lets time pass until everything that is due has been done. */
async function answerAll(history: History): Promise<void> {
  const { banks, sellers, kassa } = history.deployment
  for (const bank of banks.values()) {
    bank.ledger.away = false
    bank.ledger.bends = []
    bank.tricks = []
    bank.openings = []
    bank.slow = 0
    bank.crashes = 0
    await settle(bank, true)
  }
  for (const seller of sellers) await rotate(seller)
  await pass(history, [2, 2, 11, 2, 2, 11, 2])
  for (const payment of history.payments)
    for (const { accountId, reference } of await ordersOf(history, payment))
      await call(`${kassa.url}/callbacks/${accountId}`, { body: reference })
  // A refund of second money that was sent just now.
  await pass(history, [2, 11])
}

async function pass(history: History, minutes: number[]): Promise<void> {
  for (const each of minutes) {
    await advance(history, each)
    await sweepAll(history)
  }
}

/** How often each step is chosen, relative to the others. The default is 2. */
const WEIGHTS: Partial<Record<Step['kind'], number>> = {
  create: 3,
  buy: 8,
  goOn: 4,
  tryAgain: 3,
  payTwice: 3,
  arriveLate: 4,
  work: 7,
  refund: 6,
  capture: 3,
  callBack: 5,
  bend: 4,
  trick: 3,
  jump: 3,
  rotate: 1,
  retire: 1,
  away: 1,
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.oneof(
    ...(Object.keys(STEPS) as Step['kind'][]).map((kind) => ({
      weight: WEIGHTS[kind] ?? 2,
      arbitrary: fc.constant(kind),
    })),
  ),
  // Most steps concern few payments, so that something comes of their order.
  at: fc.oneof({ weight: 3, arbitrary: fc.nat(2) }, fc.nat(7)),
  size: fc.nat(1_900),
})
const dies = fc.record({ who: fc.constantFrom('web', 'worker'), after: fc.nat(25) })
const turn: fc.Arbitrary<Turn> = fc.record({
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  dies: fc.option(dies, { freq: 5 }),
})

const life = fc.record({
  turns: fc.array(turn, { minLength: 4, maxLength: TURNS_MAX }),
  named: fc.boolean(),
  enabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, fc.constant(false)),
})

const PROGRESS_EVERY_MS = 20_000

type Run = { seeds: readonly number[]; lanes: number; minutes?: number }

/**
 * Runs a random history of each seed. Histories mostly wait for the database, so several `lanes` run at once, each with a deployment of
 * its own. After so many `minutes` no other one begins.
 * @throws Error with the seed of the history that broke a rule, and the turn
 */
export async function runModel({ seeds, lanes, minutes = Number.POSITIVE_INFINITY }: Run): Promise<void> {
  const counts: Counts = { histories: 0, steps: 0, crashes: 0 }
  const underWay = new Set<number>()
  const left = [...seeds]
  const started = performance.now()
  const report = () => {
    const seconds = ((performance.now() - started) / 1000).toFixed(0)
    const now = underWay.size > 0 ? `, under way ${[...underWay].join(' ')}` : ''
    console.info(
      `model: ${counts.histories} of ${seeds.length} histories from seed ${seeds[0]} to ${seeds.at(-1)}, ${counts.steps} steps, ${counts.crashes} crashes, ${seconds} s${now}`,
    )
  }
  const runLane = async (lane: number) => {
    const deployment = await startDeployment(lane)
    try {
      while (performance.now() - started < minutes * 60_000) {
        const own = left.shift()
        if (own === undefined) break
        underWay.add(own)
        const [given] = fc.sample(life, { numRuns: 1, seed: own })
        if (given) await runHistory(deployment, given, counts).catch(throwWithSeed(own, counts))
        underWay.delete(own)
        counts.histories++
      }
    } finally {
      // After a broken rule the other lanes end too.
      left.length = 0
      await closeDeployment(deployment)
    }
  }
  const timer = setInterval(report, PROGRESS_EVERY_MS)
  const ended = await Promise.allSettled(Array.from({ length: lanes }, (_, lane) => runLane(lane)))
  clearInterval(timer)
  removeModelDrivers()
  report()
  const failed = ended.find((each) => each.status === 'rejected')
  if (failed) throw failed.reason
}

// Histories with several actors are not the same twice, so a shorter one is not looked for.
const throwWithSeed = (seed: number, counts: Counts) => (error: unknown) => {
  const message = `the history of seed ${seed}, after ${counts.histories} others: ${(error as Error).message}`
  throw new Error(message, { cause: error })
}

const turnOf = (kind: Step['kind'], places: number[]): Turn => ({
  steps: places.map((at) => ({ kind, at, size: 901 + at })),
  dies: null,
})
/** Every history begins with a payment of each merchant. Two of them are tried again. */
const FIRST = [turnOf('create', [0, 1, 2, 3]), turnOf('tryAgain', [0, 1])]

type Life = { turns: Turn[]; named: boolean; enabled: boolean }

async function runHistory(deployment: Deployment, { turns, ...banks }: Life, counts: Counts): Promise<void> {
  await resetDeployment(deployment, banks)
  const history: History = { deployment, payments: [], keys: 0, counts, worker: (each) => each }
  for (const each of [...FIRST, ...turns]) {
    await take(history, each)
    await check(deployment, 'moving', each)
  }
  await answerAll(history)
  await check(deployment, 'answered', 'the end')
  await pass(history, [95, 31, 2 * DAY_MINUTES, 31 * DAY_MINUTES, 40, 2 * DAY_MINUTES])
  await check(deployment, 'ended', 'the expiry')
}

async function check(deployment: Deployment, stage: Stage, after: Turn | string): Promise<void> {
  const faults = await findFaults(deployment, stage)
  if (faults.length > 0) throw new Error(`${faults.join('\n')}\nafter ${JSON.stringify(after)}`)
}
