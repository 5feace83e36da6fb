/** Fifty refunds at once over two processes, again and again: never more than was captured, and all that there is. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askOperation, createSession, payAtBank, sessionRequest } from '../../testing/calls.ts'
import {
  type Kassa,
  type KassaProcess,
  openShop,
  type Shop,
  spawnKassa,
  startKassa,
} from '../../testing/harness.ts'

const ROUNDS = 50
const AT_ONCE = 50
const SETTLED_WITHIN_MS = 60_000

let kassa: Kassa
let processes: KassaProcess[]
let shop: Shop
beforeAll(async () => {
  kassa = await startKassa()
  shop = await openShop(kassa.ctx)
  const settings = { DATABASE_URL: kassa.databaseUrl, RATE_LIMITS: 'off' }
  processes = await Promise.all([spawnKassa(settings), spawnKassa(settings)])
})
afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill('SIGTERM')))
  await kassa.close()
})

const url = (index: number) => processes[index % 2]?.url ?? ''
const rows = async (text: string, values: unknown[] = []) => (await kassa.ctx.db.query(text, values)).rows

async function paidOf(amountMinor: number, order: string): Promise<string> {
  const body = sessionRequest({ merchantOrderId: order, amountMinor })
  const { body: session } = await createSession(url(0), shop, { key: order, body })
  await payAtBank(session.providerCheckoutUrl, 'paid')
  return session.id
}

/** Waits until no operation is under way. */
async function untilSettled(): Promise<void> {
  const deadline = performance.now() + SETTLED_WITHIN_MS
  while (performance.now() < deadline) {
    const [open] = await rows(
      `select count(*)::int as n from sandbox.operations where status in ('queued', 'processing')`,
    )
    if (open.n === 0) return
    await sleep(200)
  }
  throw new Error('Operations were still under way.')
}

test(`of ${AT_ONCE} refunds of 100 at once on 1000, exactly ten are taken, in ${ROUNDS} rounds over two processes`, async () => {
  const payments: string[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const id = await paidOf(1000, `race-${round}`)
    payments.push(id)
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) =>
        askOperation(url(index), shop, id, 'refunds', {
          key: `race-${round}-${index}`,
          body: { amountMinor: 100, reason: 'race' },
        }),
      ),
    )
    const taken = answers.filter(({ status }) => status === 201).length
    const refused = answers.filter(({ body }) => body.error?.code === 'payment_not_eligible').length
    expect([round, taken, refused]).toEqual([round, 10, AT_ONCE - 10])
  }
  await untilSettled()
  const over = await rows(
    `select status, refunded_minor, refund_reserved_minor from sandbox.payments where id = any($1) group by 1, 2, 3`,
    [payments],
  )
  expect(over).toEqual([{ status: 'refunded', refunded_minor: 1000, refund_reserved_minor: 0 }])
  const ended = await rows('select status, count(*)::int as n from sandbox.operations group by 1')
  expect(ended).toEqual([{ status: 'succeeded', n: ROUNDS * 10 }])
  const changes = await rows(
    `select to_status, count(*)::int as n from sandbox.events join sandbox.payment_changes using (merchant_id, payment_id)
       where sequence = version group by 1 order by 1`,
  )
  expect(changes).toEqual([
    { to_status: 'paid', n: ROUNDS },
    { to_status: 'partially_refunded', n: ROUNDS * 9 },
    { to_status: 'refunded', n: ROUNDS },
  ])
}, 180_000)

test('of a refund, a void and another refund at once, what is taken never exceeds what is there', async () => {
  for (let round = 0; round < 10; round++) {
    const id = await paidOf(1000, `mix-${round}`)
    const ask = (what: 'refunds' | 'void', body: object, index: number) =>
      askOperation(url(index), shop, id, what, { key: `mix-${round}-${index}`, body })
    const answers = await Promise.all([
      ask('refunds', { amountMinor: 700, reason: 'r' }, 0),
      ask('void', { reason: 'v' }, 1),
      ask('refunds', { amountMinor: 700, reason: 'r' }, 2),
      ask('void', { reason: 'v' }, 3),
    ])
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  }
  await untilSettled()
  const open = await rows(`select id from sandbox.operations where status <> 'succeeded'`)
  expect(open).toEqual([])
})
