/**
 * The process is killed at every step between claiming a key and answering the request, and also at random times. Half of the
 * clients retry until they get an answer. The other half never come back, so the worker must finish their keys. The short and the
 * long test both use this suite.
 */
import { expect } from 'vitest'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import type { CrashingKassa, StartCrashing } from '../../testing/processes/crashing-kassa.ts'
import { type CountingBank, startCountingBank } from '../../testing/providers/counting-bank.ts'
import { type Random, seededRandom } from '../../testing/random.ts'

const STEPS = [
  'before begin_payments',
  'after begin_payments',
  'before provider',
  'while provider',
  'after provider',
  'before finish_opening',
  'after finish_opening',
  'before answer',
  'after answer',
]
/** Steps that a process reaches only when it takes over an expired lease from a killed process. */
const TAKEOVERS = ['after take_attempt_lease', 'before look-up', 'after look-up']
const POINTS = [...STEPS, ...TAKEOVERS]
const LANES = 2
/** A process that does not reach its step in this time is killed from outside. */
const RUN_MS_MAX = 2_500
/** A process without a step is killed at a random time up to this. */
const RANDOM_KILL_MS_MAX = 180
/** All clients call at once, and on a busy machine nothing may be sent in half of a second. */
const HEALTHY_LEASE_SECONDS = 5
/** Only ends a run that hangs. On a quiet machine the keys are finished within 4 s. */
const SETTLED_WITHIN_MS = 120_000

type Client = { key: string; retries: boolean; answer: string | null }
type Setup = {
  kassa: Kassa
  shop: Shop
  bank: CountingBank
  random: Random
  start: StartCrashing
  keysEach: number
}

/** Starts a process that kills itself at this step, at the first to third time that it gets there. Null: it does not. */
function startProcess(
  { kassa, bank, random, start }: Setup,
  at: string | null,
  leaseSeconds = 3,
): Promise<CrashingKassa> {
  const crash = at === null ? undefined : { at, nth: random(1, 4) }
  return start({ databaseUrl: kassa.databaseUrl, bankUrl: bank.url, leaseSeconds, crash })
}

/** Sends a client's request once. A payment id that was returned once must never change. */
async function call({ shop }: Setup, client: Client, url: string): Promise<void> {
  const { key } = client
  const body = sessionRequest({ merchantOrderId: key })
  const answer = await createSession(url, shop, { key, body }).catch(() => null)
  if (answer?.status !== 200 && answer?.status !== 201) return
  expect(client.answer ?? answer.body.id).toBe(answer.body.id)
  client.answer = answer.body.id
}

/**
 * Runs one process from its start to its death. New clients call it, and so do the waiting clients of earlier processes. Returns
 * the step at which the process killed itself.
 */
async function runProcess(
  setup: Setup,
  clients: Client[],
  lane: number,
  point: string | null,
): Promise<string | null> {
  const run = await startProcess(setup, point)
  const newClients = Array.from({ length: setup.keysEach }, (_, index): Client => {
    return { key: `lane-${lane}-${clients.length + index}`, retries: index % 2 === 0, answer: null }
  })
  const calling = [...clients.filter(isWaiting), ...newClients].map((client) => call(setup, client, run.url))
  clients.push(...newClients)
  const killAfterMs = point ? RUN_MS_MAX : setup.random(0, RANDOM_KILL_MS_MAX)
  // Real time: a process may be killed at any moment.
  const timer = setTimeout(run.kill, killAfterMs)
  const answered = Promise.all(calling)
  // All requests are answered, so the process will not reach its step any more.
  if (point && STEPS.includes(point)) void answered.then(run.kill)
  await run.ended
  clearTimeout(timer)
  await answered
  return run.reached()
}

const isWaiting = ({ retries, answer }: Client) => retries && answer === null

async function countUnfinished({ kassa }: Setup): Promise<number> {
  const { rows } = await kassa.ctx.db.query(
    `select count(*)::int as count from sandbox.attempts where state = 'opening'`,
  )
  return rows[0].count
}

/** The pause before the worker goes on grows with each process that dies while it does so. The test does not wait for it. */
async function endPauses({ kassa }: Setup): Promise<void> {
  await kassa.ctx.db.query(`update sandbox.attempts set question_due_at = created_at where state = 'opening'`)
}

/** Runs a healthy process at the end. It answers the clients that retry, and its worker finishes the other keys. */
async function settle(setup: Setup, clients: Client[]): Promise<void> {
  await endPauses(setup)
  const run = await startProcess(setup, null, HEALTHY_LEASE_SECONDS)
  const callAll = (these: Client[]) => Promise.all(these.map((client) => call(setup, client, run.url)))
  try {
    const deadline = performance.now() + SETTLED_WITHIN_MS
    while (clients.some(isWaiting) && performance.now() < deadline) await callAll(clients.filter(isWaiting))
    expect(clients.filter(isWaiting)).toEqual([])
    await expect.poll(() => countUnfinished(setup), { timeout: SETTLED_WITHIN_MS }).toBe(0)
    await callAll(clients.filter(({ answer }) => answer !== null))
  } finally {
    await run.kill()
  }
}

type Row = { order: string; reference: string; status: string; url: string | null; id: string }

async function expectOneOrderEach({ kassa, bank }: Setup, clients: Client[]): Promise<void> {
  const { rows } = await kassa.ctx.db.query<Row>(
    `select merchant_order_id as "order", reference, status, checkout_url as url, id
     from sandbox.payments join sandbox.attempts on payment_id = id`,
  )
  const byOrder = Map.groupBy(rows, ({ order }) => order)
  expect([...byOrder.values()].filter((payments) => payments.length > 1)).toEqual([])
  for (const { key, retries, answer } of clients) {
    const payment = byOrder.get(key)?.[0]
    // For a client that never came back, the process may have died before it stored anything.
    expect([key, payment?.id ?? null]).toEqual([key, retries ? answer : (answer ?? payment?.id ?? null)])
  }
  expect(rows.filter(({ status, url }) => status !== 'pending_redirect' || url === null)).toEqual([])
  expect([...bank.orders].filter(([, count]) => count !== 1)).toEqual([])
  expect([...bank.orders.keys()].sort()).toEqual(rows.map(({ reference }) => reference).sort())
}

export type Size = {
  /** How often a process must die at each step, at least. */
  killsEach: number
  /** How many new clients call each process. */
  keysEach?: number
  randomKills: number
  /** A process may miss its step. Then another process tries that step, up to this many times in all. */
  triesMax: number
  seed: number
  start: StartCrashing
}

/**
 * Kills processes at each step and at random times, runs a healthy process at the end, and compares our payments with the bank's
 * orders. Returns a text that says how often a process died at each step.
 */
export async function surviveKills({
  killsEach,
  keysEach = 8,
  randomKills,
  triesMax,
  seed,
  start,
}: Size): Promise<string> {
  const random = seededRandom(seed)
  const kassa = await startKassa()
  const bank = await startCountingBank()
  const setup = { kassa, bank, random, start, keysEach, shop: await openShop(kassa.ctx) }
  const kills = new Map(POINTS.map((point) => [point, 0]))
  const plan: (string | null)[] = Array.from({ length: killsEach }, () => POINTS).flat()
  plan.push(...Array.from({ length: randomKills }, () => null))
  let triesLeft = triesMax
  const next = () => {
    const planned = plan.shift()
    if (planned !== undefined) return planned
    return triesLeft-- > 0 ? POINTS.find((point) => (kills.get(point) ?? 0) < killsEach) : undefined
  }
  const clients = Array.from({ length: LANES }, (): Client[] => [])
  const runLane = async (own: Client[], lane: number) => {
    for (let point = next(); point !== undefined; point = next()) {
      const reached = await runProcess(setup, own, lane, point)
      if (reached) kills.set(reached, (kills.get(reached) ?? 0) + 1)
    }
  }
  try {
    await Promise.all(clients.map(runLane))
    await settle(setup, clients.flat())
    await expectOneOrderEach(setup, clients.flat())
    const counts = `kills with seed ${seed}: ${JSON.stringify(Object.fromEntries(kills))}`
    for (const [point, count] of kills) expect(count, `${point}; ${counts}`).toBeGreaterThanOrEqual(killsEach)
    return counts
  } finally {
    await kassa.close()
    await bank.close()
  }
}
