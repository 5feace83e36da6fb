/** Events under everything at once: receivers that fail, and workers that are killed. The one test in two sizes. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Webhook } from 'standardwebhooks'
import Stripe from 'stripe'
import { expect } from 'vitest'
import { type Arrival, startFickleReceiver } from '../testing/fickle-receiver.ts'
import { type Kassa, openShop, SECRETS_KEY, type Shop, startKassa } from '../testing/harness.ts'
import { CHANGES_EACH, livePayments } from '../testing/payments/status-changes.ts'
import { endProcess, startProcess, type TestProcess } from '../testing/processes/child-process.ts'
import { seededRandom } from '../testing/random.ts'

const ENTRY = fileURLToPath(new URL('../main.ts', import.meta.url))
const LEASE_SECONDS = 3
const TIMEOUT_SECONDS = 0.6
const OPENSSL_SAMPLE = 5
/** What receivers allow. A busy machine may read an attempt long after the worker signed it. */
const TOLERANCE_SECONDS = 300
const stripe = new Stripe('sk_test_unused')

const settings = {
  EVENT_RETRY_DELAYS: `0${',1'.repeat(24)}`,
  EVENT_TIMEOUT: String(TIMEOUT_SECONDS),
  DELIVERY_LEASE: String(LEASE_SECONDS),
  LOG_LEVEL: 'error',
}

function startWorkerProcess(kassa: Kassa): TestProcess {
  const env = {
    MODE: 'sandbox',
    SECRETS_KEY,
    DATABASE_URL: kassa.databaseUrl,
    ...settings,
    PROCESS: 'worker',
  }
  const child = startProcess(ENTRY, { env })
  child.stdout.resume()
  child.stderr.pipe(process.stderr)
  return child
}

/**
 * Makes `changes` changes of status while the worker is killed `kills` times, and compares what arrived with what was written.
 * `seed` chooses which deliveries fail.
 */
export async function surviveCrashes({
  changes,
  kills,
  seed,
  merchants = 20,
}: {
  changes: number
  kills: number
  merchants?: number
  seed: number
}): Promise<string> {
  const started = performance.now()
  const receiver = await startFickleReceiver(0.3, seededRandom(seed))
  const kassa = await startKassa({ settings })
  const killedAt: number[] = []
  let worker = startWorkerProcess(kassa)
  try {
    const shops = await Promise.all(
      Array.from({ length: merchants }, (_, index) =>
        openShop(kassa.ctx, { callbackUrl: `${receiver.url}/${index}` }),
      ),
    )
    const written = livePayments(
      kassa.ctx,
      shops.map((shop) => shop.merchantId),
      { payments: changes / CHANGES_EACH },
    )
    for (let kill = 0; kill < kills; kill++) {
      // In the middle of its work, wherever that is on this machine.
      const share = (changes * (kill + 1)) / (kills + 2)
      await expect.poll(() => receiver.arrivals.length, { interval: 10 }).toBeGreaterThanOrEqual(share)
      killedAt.push(Date.now())
      await endProcess(worker)
      worker = startWorkerProcess(kassa)
    }
    await written
    await expect.poll(() => countUndelivered(kassa), { interval: 100 }).toBe(0)
    await endProcess(worker)
    const repeated = await verify(kassa, shops, receiver.arrivals, killedAt)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    return `${changes} changes, ${kills} kills, seed ${seed}: ${receiver.arrivals.length} deliveries, ${repeated} repeated after they had been taken, ${seconds} s`
  } finally {
    await endProcess(worker)
    await kassa.close()
    await receiver.close()
  }
}

async function countUndelivered({ ctx }: Kassa): Promise<number> {
  const { rows } = await ctx.db.query("select count(*) from sandbox.events where state <> 'delivered'")
  return rows[0].count
}

async function verify(kassa: Kassa, shops: Shop[], arrivals: Arrival[], killedAt: number[]): Promise<number> {
  const { rows: events } = await kassa.ctx.db.query('select id, body from sandbox.events')
  const { rows: paymentChanges } = await kassa.ctx.db.query(
    "select count(*) from sandbox.payment_changes where to_status <> 'pending_redirect'",
  )
  expect(events.length).toBe(paymentChanges[0].count)
  const bodies = new Map<string, string>(events.map(({ id, body }) => [id, body]))
  const byEvent = Map.groupBy(arrivals, (arrival) => String(arrival.headers['webhook-id']))
  expect([...byEvent.keys()].filter((id) => !bodies.has(id))).toEqual([])
  expect([...bodies.keys()].filter((id) => !byEvent.has(id))).toEqual([])
  for (const arrival of arrivals) verifySignature(arrival, shops[Number(arrival.path.slice(1))] as Shop)
  const sample = arrivals.filter((_, index) => index % Math.ceil(arrivals.length / OPENSSL_SAMPLE) === 0)
  for (const arrival of sample) verifyWithOpenssl(arrival, shops[Number(arrival.path.slice(1))] as Shop)
  const givenUp = await listGivenUp(kassa)
  const taken = await countTaken(kassa)
  let repeated = 0
  for (const [id, attempts] of byEvent) {
    expect(attempts.every(({ body }) => body === bodies.get(id))).toBe(true)
    for (const [index, attempt] of attempts.slice(0, -1).entries())
      if (attempt.mode === 'takes') {
        const [sent, next] = [sentWithin(attempt), sentWithin(attempts[index + 1] ?? attempt)]
        const cut = killedAt.some((at) => sent.from <= at && at <= next.to)
        const missed = givenUp.some(
          ({ eventId, from, to }) => eventId === id && from <= sent.to && sent.from <= to,
        )
        expect(cut || missed, `${id} was sent again although it had been taken`).toBe(true)
        repeated++
      }
    expect(taken.get(id), `${id} was noted as taken so often`).toBe(1)
  }
  await verifyOrder(kassa, byEvent, new Set(givenUp.map(({ eventId }) => eventId)))
  return repeated
}

/**
 * The worker's records show the order in which it made the first attempts. The receiver sees the same order, unless the worker
 * gave up an attempt: a busy receiver may read that attempt after one that was made later.
 */
async function verifyOrder(
  { ctx }: Kassa,
  byEvent: Map<string, Arrival[]>,
  givenUp: Set<string>,
): Promise<void> {
  const { rows } = await ctx.db.query(
    `select count(*)::int as inversions from (
       select created_at as at, lag(created_at) over (partition by payment_id order by sequence) as before
       from (select payment_id, sequence, deliveries.created_at from sandbox.events
             join sandbox.deliveries on event_id = events.id and attempt = 1) as firsts) as pairs
     where at < before`,
  )
  expect(rows[0].inversions).toBe(0)
  expect(countInversions(new Map([...byEvent].filter(([id]) => !givenUp.has(id))))).toBe(0)
}

/** The second in which the worker signed it. On a busy machine it may be read much later. */
function sentWithin({ headers }: Arrival): { from: number; to: number } {
  const from = Number(headers['webhook-timestamp']) * 1000
  return { from, to: from + 999 }
}

/** The attempts whose time limit passed before the worker read the receiver's answer, which happens on a busy machine. */
async function listGivenUp({ ctx }: Kassa): Promise<{ eventId: string; from: number; to: number }[]> {
  const { rows } = await ctx.db.query(
    `select event_id as "eventId", created_at as at, duration_ms as ms from sandbox.deliveries
     where status_code is null and duration_ms >= $1`,
    [TIMEOUT_SECONDS * 1000],
  )
  return rows.map(({ eventId, at, ms }) => ({ eventId, from: at.getTime(), to: at.getTime() + ms }))
}

/** How often each event was noted as taken. */
async function countTaken({ ctx }: Kassa): Promise<Map<string, number>> {
  const { rows } = await ctx.db.query(
    'select event_id as id, count(*)::int as n from sandbox.deliveries where status_code between 200 and 299 group by 1',
  )
  return new Map(rows.map(({ id, n }) => [id, n]))
}

/** How many events arrived for the first time before one that came before them in the life of their payment. */
export function countInversions(byEvent: Map<string, Arrival[]>): number {
  const firsts = [...byEvent.values()].map(([first]) => JSON.parse(first?.body ?? '{}'))
  const ofPayments = Map.groupBy(firsts, (event) => event.payment.id)
  let inversions = 0
  for (const events of ofPayments.values())
    for (const [index, event] of events.entries())
      if (index > 0 && event.sequence < events[index - 1].sequence) inversions++
  return inversions
}

function verifySignature({ headers, body, at }: Arrival, shop: Shop): void {
  const header = String(headers['x-service-signature'])
  const seconds = Number(/^t=(\d{10}),v1=[0-9a-f]{64}$/.exec(header)?.[1])
  expect(Math.abs(seconds - at / 1000)).toBeLessThan(TOLERANCE_SECONDS)
  // The verifiers compare with the time of this check, which may be minutes later.
  const event = stripe.webhooks.constructEvent(body, header, shop.webhookSecret, 600)
  expect(event.id).toBe(headers['webhook-id'])
  new Webhook(shop.webhookSecret).verify(body, headers as Record<string, string>)
}

function verifyWithOpenssl({ headers, body }: Arrival, shop: Shop): void {
  const [, time, digest] = /^t=(\d+),v1=(\w+)$/.exec(String(headers['x-service-signature'])) ?? []
  const input = `${time}.${body}`
  const output = execFileSync('openssl', ['dgst', '-sha256', '-hmac', shop.webhookSecret, '-r'], { input })
  expect(output.toString().split(' ')[0]).toBe(digest)
}
