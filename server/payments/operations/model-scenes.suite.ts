/** The scenes of a random history: several acts in an order in which money can get lost, which single acts seldom find. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ACTS,
  ask,
  type Choice,
  chosen,
  full,
  type History,
  MINUTE_MS,
  type Order,
  ordersOf,
  sweepAll,
} from './model-steps.suite.ts'

type Act = (history: History, step: Choice) => Promise<void>

/** After this time the callback that was not held has changed the payment. */
const CROSSING_MS = 80

async function latestOrder(history: History, { at }: Choice): Promise<Order | undefined> {
  const payment = chosen(history, at)
  return payment && (await ordersOf(history, payment)).at(-1)
}

/** Of the sizes of `callBack`, one that means the latest order, and two calls at once. */
const LATEST = 1

/** The buyer pays the latest order, if it is open, and the bank calls back. */
async function pay(history: History, { at }: Choice): Promise<void> {
  const order = await latestOrder(history, { at, size: LATEST })
  const known = order?.bank.ledger.orders.get(order.reference)
  if (order && known?.status === 'pending_payment')
    order.bank.ledger.move(order.reference, full(known.amountMinor))
  await ACTS.callBack(history, { at, size: LATEST })
}

const SCENES: Record<'tryAgain' | 'tryInVain' | 'payTwice' | 'cross' | 'silence', Act> = {
  /** The bank declines the latest order, and the buyer tries again. */
  async tryAgain(history: History, step: Choice) {
    const order = await latestOrder(history, step)
    const known = order?.bank.ledger.orders.get(order.reference)
    if (!order || known?.status !== 'pending_payment') return
    order.bank.ledger.move(order.reference, { status: step.size % 3 === 0 ? 'expired' : 'failed' })
    await ACTS.goOn(history, step)
  },
  /** As above, and the bank's answer to the new order is lost: the bank has opened it, or has not. */
  async tryInVain(history: History, step: Choice) {
    const order = await latestOrder(history, step)
    order?.bank.openings.unshift(step.size % 2 === 0 ? 'lost' : 'dropped')
    await SCENES.tryAgain(history, step)
  },
  /** The latest order is paid, and then one before it that the bank had declined. */
  async payTwice(history: History, step: Choice) {
    await pay(history, step)
    await ACTS.arriveLate(history, step)
  },
  /** The bank's first word of the money is on its way while a second one, and then a refund or a capture, change the payment. */
  async cross(history: History, step: Choice) {
    const order = await latestOrder(history, step)
    if (!order) return
    const { promise, resolve } = Promise.withResolvers<void>()
    order.bank.held = promise
    order.bank.tricks.unshift('held')
    const answered = pay(history, step).catch(() => {})
    await sleep(CROSSING_MS)
    await ask(history, step, step.size % 4 === 0 ? 'capture' : 'refunds')
    await sweepAll(history)
    resolve()
    await answered
  },
  /** The bank does not get a write, and nobody looks for longer than it remembers a key. */
  async silence(history: History, step: Choice) {
    await pay(history, step)
    const order = await latestOrder(history, step)
    order?.bank.ledger.bends.unshift('drop')
    await ask(history, step, 'refunds')
    await sweepAll(history)
    history.deployment.kassa.clock.advance(25 * 60 * MINUTE_MS)
  },
}

export const STEPS = { ...ACTS, ...SCENES }
export type Step = Choice & { kind: keyof typeof STEPS }
