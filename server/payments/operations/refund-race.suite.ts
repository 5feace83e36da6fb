/**
 * Concurrent refunds at two services, in many rounds: exactly the captured amount is refunded, and never more. The short and the
 * long test both use this suite.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askOperation, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, MANY_CONNECTIONS, openShop, type Shop, startKassa } from '../../testing/harness.ts'

const REFUND = { amountMinor: 100, reason: 'race' }
const SETTLED_WITHIN_MS = 120_000

type Started = { url: string; stop(): Promise<unknown> }
/** Starts a service with these settings, in this process or in its own. */
type Start = (settings: Record<string, string>) => Promise<Started>
type Race = { kassa: Kassa; processes: Started[]; shop: Shop; close(): Promise<void> }

async function startRace(start: Start): Promise<Race> {
  const kassa = await startKassa({ settings: MANY_CONNECTIONS })
  const shop = await openShop(kassa.ctx)
  const settings = { DATABASE_URL: kassa.databaseUrl }
  const processes = await Promise.all([start(settings), start(settings)])
  return {
    kassa,
    processes,
    shop,
    async close() {
      await Promise.all(processes.map((each) => each.stop()))
      await kassa.close()
    },
  }
}

const url = ({ processes }: Race, index: number) => processes[index % 2]?.url ?? ''
const rows = async ({ kassa }: Race, text: string, values: unknown[] = []) =>
  (await kassa.ctx.db.query(text, values)).rows

async function openPaid(race: Race, amountMinor: number, order: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: order, amountMinor })
  const { body: session } = await createSession(url(race, 0), race.shop, { key: order, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}

/** As a shop does, repeats with its key what a busy process could not take. */
async function insist(
  race: Race,
  { id, what, key, body }: { id: string; what: 'refunds' | 'void'; key: string; body: object },
  index: number,
): Promise<Awaited<ReturnType<typeof askOperation>>> {
  const answer = await askOperation(url(race, index), race.shop, id, what, { key, body })
  return answer.status === 503 ? insist(race, { id, what, key, body }, index) : answer
}

/** 200: an earlier request with this key was taken, although its answer was not. */
const isTaken = ({ status }: { status: number }) => status === 201 || status === 200

/** Waits until every operation has ended. */
async function untilSettled(race: Race): Promise<void> {
  const open = async () =>
    (await rows(race, `select from sandbox.operations where status in ('queued', 'processing')`)).length
  await expect.poll(open, { timeout: SETTLED_WITHIN_MS }).toBe(0)
}

/** So many concurrent refunds of 100 on a payment of 1000: exactly ten are accepted and carried out, and each sends an event. */
async function raceRefunds(race: Race, rounds: number, atOnce: number): Promise<void> {
  const payments: string[] = []
  for (let round = 0; round < rounds; round++) {
    const id = await openPaid(race, 1000, `race-${round}`)
    payments.push(id)
    const answers = await Promise.all(
      Array.from({ length: atOnce }, (_, index) =>
        insist(race, { id, what: 'refunds', key: `race-${round}-${index}`, body: REFUND }, index),
      ),
    )
    const accepted = answers.filter(isTaken).length
    const rejected = answers.filter(({ body }) => body.error?.code === 'payment_not_eligible').length
    expect([round, accepted, rejected]).toEqual([round, 10, atOnce - 10])
  }
  await untilSettled(race)
  const refunded = await rows(
    race,
    `select status, refunded_minor, refund_reserved_minor from sandbox.payments where id = any($1) group by 1, 2, 3`,
    [payments],
  )
  expect(refunded).toEqual([{ status: 'refunded', refunded_minor: 1000, refund_reserved_minor: 0 }])
  const ended = await rows(race, 'select status, count(*)::int as n from sandbox.operations group by 1')
  expect(ended).toEqual([{ status: 'succeeded', n: rounds * 10 }])
  const changes = await rows(
    race,
    `select to_status, count(*)::int as n from sandbox.events join sandbox.payment_changes using (merchant_id, payment_id)
       where sequence = version - 1 group by 1 order by 1`,
  )
  expect(changes).toEqual([
    { to_status: 'paid', n: rounds },
    { to_status: 'partially_refunded', n: rounds * 9 },
    { to_status: 'refunded', n: rounds },
  ])
}

/** Two refunds and two voids at once exclude each other: exactly one is accepted. */
async function raceRefundsAndVoids(race: Race, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const id = await openPaid(race, 1000, `mix-${round}`)
    const ask = (what: 'refunds' | 'void', body: object, index: number) =>
      insist(race, { id, what, key: `mix-${round}-${index}`, body }, index)
    const answers = await Promise.all([
      ask('refunds', { amountMinor: 700, reason: 'r' }, 0),
      ask('void', { reason: 'v' }, 1),
      ask('refunds', { amountMinor: 700, reason: 'r' }, 2),
      ask('void', { reason: 'v' }, 3),
    ])
    expect(answers.filter(isTaken)).toHaveLength(1)
  }
  await untilSettled(race)
  expect(await rows(race, `select id from sandbox.operations where status <> 'succeeded'`)).toEqual([])
}

/** Registers the tests. `rounds`: with `atOnce` refunds each. `mixedRounds`: with refunds and voids that exclude each other. */
export function testRaces(
  start: Start,
  { rounds, mixedRounds, atOnce = 50 }: { rounds: number; mixedRounds: number; atOnce?: number },
): void {
  let race: Race
  beforeAll(async () => {
    race = await startRace(start)
  })
  afterAll(() => race.close())

  test(`of ${atOnce} concurrent refunds of 100 on a payment of 1000, exactly ten are accepted, in ${rounds} rounds at two services`, async () => {
    await raceRefunds(race, rounds, atOnce)
  })

  test('of two refunds and two voids at once, exactly one is accepted', async () => {
    await raceRefundsAndVoids(race, mixedRounds)
  })
}
