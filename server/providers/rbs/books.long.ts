/**
 * Payments at the simulated gateway of ArCa in random order, with random faults on the way, and the clock run forward. In the end the
 * gateway's books are ours, and whatever is left for a person is a write that was sent once.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { askOperation, createSession, sessionRequest } from '../../testing/calls.ts'
import { TRANSPORT_FAULTS } from '../../testing/providers/fault-proxy.ts'
import { type MoneyScene, setMoneyScene } from '../../testing/providers/money-scene.ts'
import { type RbsBench, startRbsBench } from '../../testing/providers/rbs/bench.ts'
import { EMPTY_CARD, GOOD_CARD } from '../../testing/providers/rbs/cards.ts'
import { actAsBuyer, sumsOf } from '../../testing/providers/rbs/server.ts'
import { seededRandom } from '../../testing/random.ts'
import { rbsDriver } from './driver.ts'

const PAYMENTS = 120
const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

let bench: RbsBench
let scene: MoneyScene
beforeAll(async () => {
  bench = await startRbsBench()
  scene = await setMoneyScene('rbs', { driver: rbsDriver, start: async () => bench })
})
afterAll(() => scene.close())

test('the books are the same, whatever was lost', async () => {
  const { kassa, shop, proxy } = scene
  const random = seededRandom(20_261_129)
  const pick = <Value>(values: readonly Value[]): Value => values[random(0, values.length)] as Value
  const spoilt = () => {
    if (random(0, 2) === 0) proxy.spoilNext(pick(TRANSPORT_FAULTS.filter((fault) => fault !== 'slow')))
    if (random(0, 10) === 0) bench.server.overload(1)
  }
  for (let number = 0; number < PAYMENTS; number++) {
    const key = `books-${number}`
    const body = sessionRequest({ merchantOrderId: key, provider: pick(['route_a', 'route_b']) })
    spoilt()
    const created = await createSession(kassa.url, shop, { key, body })
    const { id, providerCheckoutUrl: url } = created.body as { id?: string; providerCheckoutUrl?: string }
    if (id === undefined || url === undefined) continue
    spoilt()
    await actAsBuyer(url, pick([GOOD_CARD, GOOD_CARD, GOOD_CARD, EMPTY_CARD, null]))
    await fetch(`${kassa.url}/checkout/${id}/return`, { redirect: 'manual' })
    spoilt()
    const what = pick(['refunds', 'capture', 'void'] as const)
    const parameters = {
      key: `do-${key}`,
      body: what === 'refunds' ? { amountMinor: 700, reason: 'x' } : { reason: 'x' },
    }
    await askOperation(
      kassa.url,
      shop,
      id,
      what,
      what === 'capture' ? { ...parameters, body: {} } : parameters,
    )
    if (random(0, 5) === 0) await scene.later(MINUTE_MS)
  }
  for (let times = 0; times < 60; times++) await scene.later(5 * MINUTE_MS)
  for (let days = 0; days < 8; days++) await scene.later(DAY_MS)
  const { rows } = await kassa.ctx.db.query<{ reference: string; captured: string; refunded: string }>(
    `select reference, captured_minor as captured, refunded_minor as refunded from sandbox.attempts`,
  )
  const ours = rows.map(({ reference, captured, refunded }) => [
    reference,
    Number(captured),
    Number(refunded),
  ])
  const theirs = rows.map(({ reference }) => {
    const { capturedMinor, refundedMinor } = sumsOf(bench.server, reference)
    return [reference, capturedMinor, refundedMinor]
  })
  expect(ours).toEqual(theirs)
  const orders = [...bench.server.bank.orders.values()].map((order) => order.number)
  expect(orders.filter((number) => !rows.some(({ reference }) => reference === number))).toEqual([])
  const operations = await kassa.ctx.db.query<{ kind: string; status: string; count: string }>(
    'select type as kind, status, count(*) from sandbox.operations group by type, status order by type, status',
  )
  console.info(`${rows.length} orders, ${orders.length} at the gateway`, operations.rows)
  expect(operations.rows.filter(({ status }) => status === 'processing' || status === 'queued')).toEqual([])
})
