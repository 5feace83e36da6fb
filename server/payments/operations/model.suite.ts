/**
 * Random histories of payments in two worlds, with four merchants and four banks. Buyers, merchants, operators and workers act in the
 * same second, banks lie and lose answers, processes die at any statement, and clocks jump. After every turn the rules that must
 * always hold are checked in the database. At the end our amounts are compared with the banks'.
 * The seed decides what happens. Where several act at once, PostgreSQL decides who comes first.
 */
import fc from 'fast-check'
import type { Context } from '../../context.ts'
import { call } from '../../testing/calls.ts'
import {
  closeDeployment,
  type Deployment,
  resetDeployment,
  rotate,
  startDeployment,
} from '../../testing/model/deployment.ts'
import { findFaults, type Stage } from '../../testing/model/faults.ts'
import { mortalDb } from '../../testing/mortal-db.ts'
import { STEPS, type Step } from './model-scenes.suite.ts'
import { type History, MINUTE_MS, ordersOf, settle, sweepAll } from './model-steps.suite.ts'

const TURNS_MAX = 14
const DAY_MINUTES = 24 * 60

/** What happens in the same second. `dies`: this process dies after so many statements in each world. */
type Turn = { steps: Step[]; dies: { who: 'web' | 'worker'; after: number } | null }

/** Takes a turn. If a process dies in it, the next turn has a new process. */
async function take(history: History, { steps, dies }: Turn): Promise<void> {
  const { ctx, live } = history.deployment.kassa
  const alive = { ctx: ctx.db, live: live.db }
  const mortal = (db: Context['db']) => (dies ? mortalDb(db, dies.after) : db)
  const worker = new Map([ctx, live].map((each) => [each, { ...each, db: each.db }]))
  history.worker = (each) => worker.get(each) ?? each
  if (dies?.who === 'worker') for (const each of worker.values()) each.db = mortal(each.db)
  if (dies?.who === 'web') {
    ctx.db = mortal(ctx.db)
    live.db = mortal(live.db)
  }
  try {
    await Promise.all(
      steps.map((step) => STEPS[step.kind](history, step).catch(throwUnlessDead(dies !== null))),
    )
  } finally {
    ctx.db = alive.ctx
    live.db = alive.live
    history.worker = (each) => each
  }
}

const throwUnlessDead = (mayDie: boolean) => (error: unknown) => {
  if (!mayDie) throw error
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
    history.deployment.kassa.clock.advance(each * MINUTE_MS)
    await sweepAll(history)
  }
}

/** How often each step is chosen, relative to the others. The default is 2. */
const WEIGHTS: Partial<Record<Step['kind'], number>> = {
  create: 3,
  buy: 8,
  goOn: 4,
  tryAgain: 3,
  cross: 3,
  silence: 4,
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

/** How often the number of histories that were run is printed. */
const PROGRESS_EVERY = 50

/**
 * Runs this many random histories. Each has a seed of its own, the next number after that of the one before.
 * @throws Error with the seed of the history that broke a rule, and the turn
 */
export async function runModel({ runs, seed }: { runs: number; seed: number }): Promise<void> {
  const deployment = await startDeployment()
  const started = performance.now()
  const report = (run: number) =>
    console.info(
      `model: ${run} of ${runs} histories, seeds ${seed} to ${seed + run - 1}, ${((performance.now() - started) / 1000).toFixed(0)} s`,
    )
  try {
    for (let run = 0; run < runs; run++) {
      const [given] = fc.sample(life, { numRuns: 1, seed: seed + run })
      if (given) await runHistory(deployment, given).catch(throwWithSeed(seed + run))
      if ((run + 1) % PROGRESS_EVERY === 0 || run + 1 === runs) report(run + 1)
    }
  } finally {
    await closeDeployment(deployment)
  }
}

// Histories with several actors are not the same twice, so a shorter one is not looked for.
const throwWithSeed = (seed: number) => (error: unknown) => {
  throw new Error(`the history of seed ${seed}: ${(error as Error).message}`, { cause: error })
}

const turnOf = (kind: Step['kind'], places: number[]): Turn => ({
  steps: places.map((at) => ({ kind, at, size: 901 + at })),
  dies: null,
})
/** Every history begins with a payment of each merchant. Two of them are tried again. */
const FIRST = [turnOf('create', [0, 1, 2, 3]), turnOf('tryAgain', [0, 1])]

type Life = { turns: Turn[]; named: boolean; enabled: boolean }

async function runHistory(deployment: Deployment, { turns, ...banks }: Life): Promise<void> {
  await resetDeployment(deployment, banks)
  const history: History = { deployment, payments: [], keys: 0, worker: (each) => each }
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
