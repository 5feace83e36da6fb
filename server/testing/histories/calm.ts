/** The end of a history: the providers answer, buyers press their buttons, a person tidies up, and time passes until nothing is due. */
import { resolveOperation } from '../../payments/decisions/operation.ts'
import { resolvePayment } from '../../payments/decisions/payment.ts'
import { lookUp } from '../calls.ts'
import { type Row, readBooks } from './books.ts'
import { advance, DAY, deskOf, type History, HOUR, MINUTE, request, SECOND, sweepAll } from './history.ts'
import { breakOwnAccount, resolveReceipts, retryReceipts } from './people.ts'
import { listOrders } from './rules.ts'
import { findSecondMoney, isForPerson } from './rules-of-money.ts'
import { press } from './trade.ts'
import type { RouteName } from './world.ts'

const SOON = [5 * SECOND, 61 * SECOND, 2 * MINUTE, 11 * MINUTE]
const LONG = [95 * MINUTE, 31 * MINUTE, 3 * HOUR, 25 * HOUR, 2 * DAY, 8 * DAY, 31 * DAY]

export async function calmDown(history: History): Promise<void> {
  const { desks, ctx } = history.world
  history.lines.push('everybody answers')
  for (const desk of Object.values(desks)) {
    await desk.door.setAway(false)
    Object.assign(desk.door.state, { denied: false, pranks: [] })
  }
  for (const { fiscal } of Object.values(ctx.routes))
    if (fiscal) Object.assign(fiscal.settings, { FAULT: undefined })
  await breakOwnAccount(history, false)
  for (const ms of SOON) await pass(history, ms)
  await checkButtons(history)
  for (const desk of Object.values(desks)) await desk.decide(true)
  await pass(history, 61 * SECOND)
  await tidyUp(history)
  history.faults.push(...(await findSecondMoney(history, await listOrders(history))))
  for (const ms of LONG) {
    await pass(history, ms)
    if (ms >= 25 * HOUR) await pass(history, 61 * SECOND)
  }
  await tidyUp(history)
  await pass(history, 61 * SECOND)
  for (const { id, seller } of history.sales)
    await request(history, 'a look-up', lookUp(history.world.kassa.url, seller.shop, id))
  await pass(history, 61 * SECOND)
}

async function pass(history: History, ms: number): Promise<void> {
  advance(history, ms)
  for (const desk of Object.values(history.world.desks)) {
    await desk.work()
    await desk.letters('deliver')
  }
  await sweepAll(history, { atOnce: true })
}

/** A payment that is open can be paid by its buyer, or its page says why not. */
async function checkButtons(history: History): Promise<void> {
  const { kassa, look } = history.world
  const works = new Set(
    (await listOrders(history)).filter(({ underWay }) => underWay).map(({ reference }) => reference),
  )
  for (const row of await readBooks(look)) {
    const sale = history.sales.find(({ id }) => id === row.id)
    const isOpen = ['created', 'pending_redirect', 'pending_payment'].includes(row.status)
    const isLate = new Date(row.expires_at) <= kassa.clock.now()
    if (!sale || !isOpen || isLate || row.single_attempt) continue
    const url = await press(history, sale, 0)
    const after = (await readBooks(look)).find(({ id }) => id === row.id)
    const isStill = after && ['created', 'pending_redirect', 'pending_payment'].includes(after.status)
    const isWorking = row.attempts.some(({ reference }) => works.has(reference))
    if (!isStill || isWorking || isForPerson(after)) continue
    const desk = Object.values(history.world.desks).find(({ origin }) => url?.startsWith(origin))
    if (!url || !desk) {
      const page = await (await fetch(`${kassa.url}/checkout/${row.id}`)).text()
      history.faults.push(
        `${row.id} (${row.status}) is open, and its button leads nowhere: ${JSON.stringify(row.attempts)}, the page ${page.includes('/continue') ? 'has' : 'has no'} button`,
      )
    } else if (!(await desk.canPay(url)))
      history.faults.push(
        `${row.id} (${row.status}) is open, and its button leads to an order that cannot be paid`,
      )
  }
}

/** A person looks into the providers' books and at the register, and decides what the service has left open. */
async function tidyUp(history: History): Promise<void> {
  const { look, ctx } = history.world
  await retryReceipts(history)
  await resolveReceipts(history)
  await retryReceipts(history)
  for (const row of await readBooks(look)) {
    if (row.single_attempt && row.status === 'status_unknown') await decideCharge(history, row)
    for (const { id, type, status, attempt, amount_minor } of row.operations) {
      const about = row.attempts.find(({ number }) => number === attempt)
      if (status !== 'requires_operator_review' || !about || about.provider === 'manual') continue
      const orders = await deskOf(history, about.provider as RouteName).orders()
      const order = orders.find(({ reference }) => reference === about.reference)
      const theirs = (order?.refunds ?? []).filter(
        ({ key, state, amountMinor }) => key !== null && state === 'done' && amountMinor === amount_minor,
      )
      const ours = row.operations.filter(
        (each) =>
          each.type === 'refund' &&
          each.attempt === attempt &&
          each.status === 'succeeded' &&
          each.amount_minor === amount_minor,
      )
      const wasDone =
        type === 'refund'
          ? theirs.length > ours.length
          : type === 'capture'
            ? order?.capturedMinor === amount_minor
            : (order?.voided ?? false)
      const as = wasDone ? 'succeeded' : 'failed'
      const outcome = await resolveOperation(ctx, id, as, { actor: 'tester', why: null }).then(
        () => 'stored',
        (error: Error) => error.message,
      )
      history.lines.push(`  a person: ${id} ${as}: ${outcome}`)
    }
  }
}

/** The answer to a charge was lost, and nobody asked before its provider had forgotten the key: only a person can find it there. */
async function decideCharge(history: History, { id, attempt, attempts }: Row): Promise<void> {
  const own = attempts.find(({ number }) => number === attempt)
  const order = (await listOrders(history)).find(({ reference }) => reference === own?.reference)
  const as = !order ? 'expired' : order.capturedMinor > 0 ? 'paid' : 'failed'
  const outcome = await resolvePayment(history.world.ctx, id, as, { actor: 'tester', why: null }).then(
    () => 'stored',
    (error: Error) => error.message,
  )
  history.lines.push(`  a person: the charge ${id} is ${as}: ${outcome}`)
}
