/**
 * Merchant, buyer, worker, the bank's own staff and our operator act on one payment in the same second, at the simulated bank over
 * HTTP. Afterwards the bank's books and ours say the same, and nothing was done twice.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { sumOfRefunds } from '../../sandbox/bank/order.ts'
import { lookUp } from '../../testing/calls.ts'
import { MANY_CONNECTIONS } from '../../testing/harness.ts'
import { setBankScene } from '../../testing/providers/bank-scene.ts'
import { openKassa } from '../../testing/scene.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { resolveOperation } from '../decisions/operation.ts'

const ROUNDS = 4
/** At least this many operations must have needed a person. The order of the acts decides how many do, so there may be more rounds. */
const MIN_REVIEWS = 2
const MAX_ROUNDS = 10 * ROUNDS
const SPREAD_MS = 60
const kassa = await openKassa({ settings: MANY_CONNECTIONS })
const scene = await setBankScene(kassa)
const { ctx, url } = kassa
const plain = ctx.routes.route_a

/** A sequence that differs from round to round and is the same in each run. */
function delaysOf(round: number): () => number {
  let state = round * 7_919 + 17
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state % SPREAD_MS
  }
}

/** Starts all acts at once, each after a delay of its own. Their outcomes are looked at in the books, not here. */
async function atOnce(round: number, acts: (() => Promise<unknown>)[]): Promise<void> {
  const delay = delaysOf(round)
  // Real time: every order of the acts is right.
  await Promise.allSettled(acts.map((act) => sleep(delay()).then(act)))
}

const buyerReturns = (id: string) => async () => {
  const page = await fetch(`${url}/checkout/${id}/return`, { redirect: 'manual' })
  expect(page.status).toBeLessThan(500)
}
const shopAsks = (id: string) => () => lookUp(url, scene.shop, id)
const workerRuns = async () => {
  await SWEEPS.bankCallbacks(ctx)
  await Promise.all([SWEEPS.statusSync(ctx), SWEEPS.moneyOperations(ctx)])
}
const decide = (operationId: string, as: 'succeeded' | 'failed') => () =>
  resolveOperation(ctx, operationId, as, { actor: 'Ani', why: as })

/** The route, whose first refund comes just after `before`. Its bank does not name refunds, so only their sum is known. */
function withRefund(before: () => Promise<void>): typeof plain {
  const { driver } = plain
  const send = driver?.refund
  const ask = driver?.lookUp
  if (!driver || !send || !ask) throw new Error('The bank of route_a makes refunds.')
  let isFirst = true
  const refund: typeof send = async (call, write) => {
    if (isFirst) {
      isFirst = false
      await before()
    }
    return send(call, write)
  }
  const lookUp: typeof ask = async (call, order) => {
    const answer = await ask(call, order)
    if (answer.kind !== 'found') return answer
    const { refunds: _, ...snapshot } = answer.snapshot
    return { ...answer, snapshot }
  }
  return { ...plain, driver: { ...driver, refund, lookUp } }
}

/**
 * An operator ends what is left to a person, twice at once and each in another way, while the others go on. Returns how many
 * operations that were.
 */
async function resolveAll(id: string, round: number): Promise<number> {
  let reviews = 0
  for (const { id: operationId, status } of await scene.operations(id)) {
    if (status !== 'requires_operator_review') continue
    reviews++
    const decisions = [decide(operationId, 'failed'), decide(operationId, 'succeeded')] as const
    const [first, second] = round % 4 === 0 ? decisions : ([decisions[1], decisions[0]] as const)
    const others = atOnce(round, [second, buyerReturns(id), shopAsks(id), workerRuns])
    await Promise.allSettled([first(), others])
    // Both decisions can be refused only if the payment changed each time: an operator then tries again.
    await decide(operationId, 'succeeded')()
      .catch(decide(operationId, 'failed'))
      .catch(() => {})
  }
  return reviews
}

/** `atBank`: what the bank's staff refunded by hand. */
async function expectSameBooks(id: string, atBank: number): Promise<void> {
  const [ours, theirs, operations] = [
    await scene.payment(id),
    await scene.entry(id),
    await scene.operations(id),
  ]
  const refundedMinor = sumOfRefunds(theirs, 'done')
  const open = operations.filter(({ status }) => !['succeeded', 'failed'].includes(status))
  expect(open.map(({ type, status, statusReason }) => ({ type, status, statusReason }))).toEqual([])
  const { status, authorizedMinor, capturedMinor } = ours
  expect({ status, authorizedMinor, capturedMinor, refundedMinor: ours.refundedMinor }).toMatchObject({
    authorizedMinor: theirs.reversed ? 0 : theirs.authorizedMinor,
    capturedMinor: theirs.reversed ? 0 : theirs.capturedMinor,
    refundedMinor,
  })
  expect([ours.status === 'reversed', ours.refundReservedMinor]).toEqual([theirs.reversed, 0])
  expect(operations.filter(({ sendCount }) => sendCount > 1)).toEqual([])
  const acted = theirs.keyedWrites.filter(({ verdict }) => (verdict as { result: string }).result === 'done')
  const refunds = acted.filter(({ write }) => write.startsWith('refund'))
  const sumOfOurs = refunds.reduce((sum, { write }) => sum + Number(write.split(' ')[1]), 0)
  expect(sumOfOurs + atBank).toBe(refundedMinor)
}

test('a capture and a void that are requested while the buyer returns and the bank’s staff captures end as the bank’s books say', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const id = await scene.pay(undefined, { provider: 'route_b' })
    if (round % 2 === 0) await buyerReturns(id)()
    const { amountMinor } = await scene.payment(id)
    await atOnce(round, [
      buyerReturns(id),
      () => scene.ask(id, 'capture', {}),
      () => scene.ask(id, 'void', { reason: 'changed mind' }),
      () => scene.ask(id, 'capture', { amountMinor: 700 }),
      ...(round % 3 === 0 ? [() => scene.writeAtBank(id, 'capture', amountMinor)] : []),
      shopAsks(id),
      workerRuns,
      workerRuns,
    ])
    await scene.aWhileLater()
    await resolveAll(id, round)
    await scene.aWhileLater()
    await expectSameBooks(id, 0)
  }
})

test('refunds that are requested while the bank’s staff refunds too end as the bank’s books say, and each is done once', async () => {
  let reviews = 0
  for (let round = 0; round < ROUNDS || (reviews < MIN_REVIEWS && round < MAX_ROUNDS); round++) {
    const id = await scene.pay()
    await buyerReturns(id)()
    let atBank = 0
    const refundAtBank = async () => {
      if ((await scene.writeAtBank(id, 'refund', 300)) === 'done') atBank += 300
    }
    // In every other round the staff's refund comes just before one of ours: the sums do not tell which was done.
    const isUnclear = round % 2 === 0
    ctx.routes.route_a = isUnclear ? withRefund(refundAtBank) : plain
    await atOnce(round, [
      () => scene.refund(id, 500),
      () => scene.refund(id, 700),
      () => scene.ask(id, 'void', { reason: 'changed mind' }),
      ...(isUnclear ? [] : [refundAtBank]),
      buyerReturns(id),
      shopAsks(id),
      workerRuns,
      // Real time: every order of the acts is right.
      () => sleep(SPREAD_MS).then(workerRuns),
    ])
    await scene.aWhileLater()
    reviews += await resolveAll(id, round)
    ctx.routes.route_a = plain
    await scene.aWhileLater()
    reviews += await resolveAll(id, round)
    await scene.aWhileLater()
    await expectSameBooks(id, atBank)
  }
  expect(reviews).toBeGreaterThanOrEqual(MIN_REVIEWS)
})
