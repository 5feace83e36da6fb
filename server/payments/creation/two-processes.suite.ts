/** Many identical concurrent requests to two services. The short and the long test both use this suite. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../../testing/harness.ts'
import type { CrashingKassa, StartCrashing } from '../../testing/processes/crashing-kassa.ts'
import { type CountingBank, startCountingBank } from '../../testing/providers/counting-bank.ts'

type Pair = {
  atOnce: number
  shop: Shop
  bank: CountingBank
  processes: CrashingKassa[]
  close(): Promise<void>
}

async function startPair(start: StartCrashing, atOnce: number): Promise<Pair> {
  const kassa: Kassa = await startKassa()
  const shop = await openShop(kassa.ctx)
  const bank = await startCountingBank()
  const given = { databaseUrl: kassa.databaseUrl, bankUrl: bank.url }
  const processes = await Promise.all([start(given), start(given)])
  return {
    atOnce,
    shop,
    bank,
    processes,
    async close() {
      for (const { kill } of processes) await kill()
      await Promise.all(processes.map(({ ended }) => ended))
      await kassa.close()
      await bank.close()
    },
  }
}

/** Sends `atOnce` concurrent posts, half to each process. Returns the answers and how many orders the provider got for them. */
async function postAtOnce(
  { atOnce, bank, processes, shop }: Pair,
  key: string | undefined,
  bodyOf: (index: number) => object,
) {
  const before = bank.orders.size
  const answers = await Promise.all(
    Array.from({ length: atOnce }, (_, index) => {
      const { url = '' } = processes[index % 2] ?? {}
      return createSession(url, shop, { ...(key !== undefined && { key }), body: bodyOf(index) })
    }),
  )
  expect([...bank.orders.values()].every((count) => count === 1)).toBe(true)
  return { answers, orders: bank.orders.size - before }
}

type Answers = Awaited<ReturnType<typeof postAtOnce>>['answers']
const count = (answers: Answers, status: number) =>
  answers.filter((answer) => answer.status === status).length
const replays = (answers: Answers) =>
  answers.filter(({ status, headers }) => status === 200 && headers.get('x-idempotent-replay') === 'true')
    .length
const ids = (answers: Answers) => new Set(answers.map(({ body }) => body.id)).size

/** One key and one content: one 201, one order, and else replays. */
async function postOneKey(pair: Pair, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const { answers, orders } = await postAtOnce(pair, `both-${round}`, () => sessionRequest())
    expect({ round, created: count(answers, 201), replays: replays(answers) }).toEqual({
      round,
      created: 1,
      replays: pair.atOnce - 1,
    })
    expect([ids(answers), orders]).toEqual([1, 1])
  }
}

/** Without a key the key is derived from the content. */
async function postNoKey(pair: Pair, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const body = sessionRequest({ merchantOrderId: `keyless-${round}` })
    const { answers, orders } = await postAtOnce(pair, undefined, () => body)
    expect([count(answers, 201), replays(answers), ids(answers), orders]).toEqual([1, pair.atOnce - 1, 1, 1])
  }
}

/** One key and two contents: one content is accepted, and the other is always rejected. */
async function postTwoContents(pair: Pair, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    // The amount changes every two requests, so that each process gets both contents.
    const amountOf = (index: number) => (index % 4 < 2 ? 100 : 200)
    const { answers, orders } = await postAtOnce(pair, `duel-${round}`, (index) =>
      sessionRequest({ amountMinor: amountOf(index) }),
    )
    expect([count(answers, 201), replays(answers), count(answers, 422), orders]).toEqual([
      1,
      pair.atOnce / 2 - 1,
      pair.atOnce / 2,
      1,
    ])
    const accepted = answers.filter(({ status }) => status < 300)
    expect([ids(accepted), new Set(accepted.map(({ body }) => body.amountMinor)).size]).toEqual([1, 1])
    for (const { status, body } of answers)
      if (status === 422) expect(body.error.code).toBe('idempotency_key_reused')
  }
}

/** Registers the tests. `start`: each service in this process, or in its own. */
export function testTwoProcesses(
  start: StartCrashing,
  { rounds, noKeyRounds, atOnce = 100 }: { rounds: number; noKeyRounds: number; atOnce?: number },
): void {
  let pair: Pair
  beforeAll(async () => {
    pair = await startPair(start, atOnce)
  })
  afterAll(() => pair.close())

  test(`${atOnce} identical concurrent posts to two processes: one 201, one order and else replays, in every round`, async () => {
    await postOneKey(pair, rounds)
  })

  test('the same without a key: the key is derived from the content', async () => {
    await postNoKey(pair, noKeyRounds)
  })

  test('of two contents under one key sent to two processes, one is accepted and the other is always rejected', async () => {
    await postTwoContents(pair, rounds)
  })
}
