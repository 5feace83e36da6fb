/** The scenes of a random history: several acts in an order in which money can get lost, which single acts seldom find. */
import {
  advance,
  ask,
  type Choice,
  chosen,
  full,
  type History,
  type Order,
  ordersOf,
  patiently,
  sweepAll,
} from './model-history.suite.ts'
import { ACTS } from './model-steps.suite.ts'

type Act = (history: History, step: Choice) => Promise<void>

async function latestOrder(history: History, { at }: Choice): Promise<Order | undefined> {
  const payment = chosen(history, at)
  return payment && (await ordersOf(history, payment)).at(-1)
}

/** A size of `callBack` that means the latest order, and two calls at once. */
const LATEST = 1
/** A size of `create` that means a session with a new key. */
const SESSION = 901

/** The buyer pays the order, if it is open. */
function payOrder({ bank, reference }: Order): void {
  const known = bank.ledger.orders.get(reference)
  if (known?.order === 'reached') bank.ledger.move(reference, full(known.amountMinor))
}

/** The buyer pays the latest order, if it is open, and the bank calls back. */
async function pay(history: History, { at }: Choice): Promise<void> {
  const order = await latestOrder(history, { at, size: LATEST })
  if (order) payOrder(order)
  await ACTS.callBack(history, { at, size: LATEST })
}

/** The bank calls back, and its answer to our question arrives only after `meanwhile`. */
async function holdAnswer(
  history: History,
  { at }: Choice,
  { bank }: Order,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const hold = { begun: Promise.withResolvers<void>(), over: Promise.withResolvers<void>() }
  bank.hold = hold
  bank.tricks.unshift('held')
  const answered = ACTS.callBack(history, { at, size: LATEST }).catch(() => {})
  // Not begun: the process is dead, or its account cannot be used.
  await patiently(Promise.race([hold.begun.promise, answered]))
  await meanwhile().finally(hold.over.resolve)
  await answered
}

const SCENES: Record<
  'tryAgain' | 'tryInVain' | 'createInVain' | 'payTwice' | 'cross' | 'overtake' | 'silence' | 'crashInWrite',
  Act
> = {
  /** The bank declines the latest order, and the buyer tries again. */
  async tryAgain(history: History, step: Choice) {
    const order = await latestOrder(history, step)
    const known = order?.bank.ledger.orders.get(order.reference)
    if (!order || known?.order !== 'reached') return
    order.bank.ledger.move(order.reference, { order: step.size % 3 === 0 ? 'expired' : 'declined' })
    await ACTS.goOn(history, step)
  },
  /** As above, and the bank's answer to the new order is lost. Half of the buyers try once more. */
  async tryInVain(history: History, step: Choice) {
    const order = await latestOrder(history, step)
    order?.bank.openings.unshift((['lost', 'dropped', 'crash'] as const)[step.size % 3] ?? 'lost')
    await SCENES.tryAgain(history, step)
    if (step.size % 2 === 0) await ACTS.goOn(history, step)
  },
  /** The bank's answer to a new payment's order is lost, and the worker goes on with it. */
  async createInVain(history: History, { at }: Choice) {
    const seller = history.deployment.sellers[at % history.deployment.sellers.length]
    for (const bank of history.deployment.banks.values())
      if (bank === seller?.own || (!seller?.own && bank.ctx.world === seller?.ctx.world))
        bank.openings.unshift(at % 2 === 0 ? 'lost' : 'crash')
    await ACTS.create(history, { at, size: SESSION })
    await advance(history, 2)
    await sweepAll(history)
  },
  /** The latest order is paid, and then one before it that the bank had declined. */
  async payTwice(history: History, step: Choice) {
    await pay(history, step)
    await ACTS.arriveLate(history, step)
  },
  /** An answer of the bank is on its way while a refund or a capture changes the payment. */
  async cross(history: History, step: Choice) {
    await pay(history, step)
    const order = await latestOrder(history, step)
    if (!order) return
    await holdAnswer(history, step, order, async () => {
      await ask(history, step, step.size % 4 === 0 ? 'capture' : 'refunds')
      await sweepAll(history)
    })
  },
  /** The bank's first answer that the payment is paid arrives after the payment has been paid and refunded. */
  async overtake(history: History, step: Choice) {
    const order = await latestOrder(history, step)
    if (!order) return
    payOrder(order)
    await holdAnswer(history, step, order, async () => {
      await ACTS.callBack(history, { at: step.at, size: LATEST })
      await ask(history, step, 'refunds')
      await sweepAll(history)
    })
  },
  /** The bank does not get a write, and nobody looks for longer than it remembers a key. */
  async silence(history: History, step: Choice) {
    await pay(history, step)
    const order = await latestOrder(history, step)
    order?.bank.ledger.bends.unshift('drop')
    await ask(history, step, 'refunds')
    await sweepAll(history)
    await advance(history, 25 * 60)
  },
  /** The bank has done a refund, and the worker dies before it has stored that. */
  async crashInWrite(history: History, step: Choice) {
    await pay(history, step)
    const order = await latestOrder(history, step)
    if (!order) return
    order.bank.crashes = 1
    await ask(history, step, 'refunds')
    await sweepAll(history)
  },
}

export const STEPS = { ...ACTS, ...SCENES }
export type Step = Choice & { kind: keyof typeof STEPS }
