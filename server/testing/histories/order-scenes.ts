/** Orders that are paid late, twice or in part, and people and disputes that come in between. */
import { ACTS, type Act } from './acts.ts'
import type { Prank } from './door.ts'
import {
  advance,
  DAY,
  deskOf,
  dying,
  type History,
  HOUR,
  MINUTE,
  moneyOrder,
  ordersOf,
  type Sale,
  SECOND,
  spoil,
  sweepAll,
} from './history.ts'
import { judge, resolveAny } from './people.ts'
import { findAtOnce } from './rules.ts'
import { ALL, later, pick, sold, withMoney } from './scene.ts'
import type { Desk } from './standing.ts'
import { ask, buy, comeBack, partOf, press, sell } from './trade.ts'

/** The size of `press` that means the bank. */
const AT_THE_BANK = 3

/** Somebody else's act while a request of ours is under way. */
function meanwhile(
  history: History,
  { sale, desk, reference }: { sale: Sale; desk: Desk; reference: string },
  size: number,
): Prank['act'] {
  const amountMinor = partOf(sale, size >> 3)
  const acts: (() => Promise<unknown>)[] = [
    () => desk.staff(reference, 'refund', amountMinor),
    () => desk.dispute(reference, 'lost', amountMinor),
    () => ask(history, sale, 'refunds', { amountMinor: partOf(sale, size >> 5) }),
    () => desk.letters('deliver'),
    () => comeBack(history, sale),
    () => desk.dispute(reference, 'won', amountMinor),
    () => judge(history, sale, null),
  ]
  const act = pick(acts, size)
  return async () => void (await act())
}

export const ORDER_SCENES = {
  /** The bank declines, and takes the money after all when the payment has ended. The buyer has perhaps tried again. */
  async lateMoney(history, step) {
    const first = await sold(history, step, 'route_e', 'late')
    if (!first) return
    if (step.size % 3 > 0) await press(history, first.sale, step.size)
    if (step.size % 3 === 2) await buy(history, first.sale, 'pay', 1)
    await later(history, 95 * MINUTE)
    await later(history, 31 * MINUTE)
    await later(history, 2 * HOUR)
    await first.desk.letters(step.size % 2 === 0 ? 'deliver' : 'lose')
    await later(history, HOUR)
  },
  /**
   * The bank declines, and the buyer pays at another provider. Then the bank takes the money after all. Whichever is heard of first is
   * the payment's own, and the other goes back. The third of the routes only holds money.
   */
  async payTwice(history, step) {
    const sale = await sell(history, { at: 0, size: 1 + 7 * step.size })
    if (!sale || !(await press(history, sale, AT_THE_BANK))) return
    const bank = history.world.desks.bank
    await buy(history, sale, 'approve_only', 1)
    await comeBack(history, sale)
    const next = await press(history, sale, pick([2, 0, 2, 1], step.size >> 1))
    if (!next || !(await buy(history, sale, 'pay', 1))) return
    const isBankFirst = step.size % 2 === 0
    if (!isBankFirst) await comeBack(history, sale)
    advance(history, 31 * SECOND)
    await bank.letters('deliver')
    if (isBankFirst) await comeBack(history, sale)
    await later(history, 61 * SECOND)
    await later(history, 61 * SECOND)
  },
  /** Two people decide about one payment within the provider's answering time. */
  async twoPeople(history, step) {
    const at = await sold(history, step, pick(['route_a', 'route_b', 'route_e'], step.size), 'underpay')
    if (!at) return
    await later(history, 11 * SECOND)
    const order = await moneyOrder(history, at.sale)
    // The provider's state has changed since the person saw it.
    if (step.size % 3 === 0 && order)
      await at.desk.staff(order.order.reference, 'refund', partOf(at.sale, 2 + (step.size >> 4)))
    spoil(at.desk, { on: 'read', what: 'after', act: () => judge(history, at.sale, null, 'refunded') })
    await judge(history, at.sale, null, 'paid')
    if (step.size % 2 === 0) await resolveAny(history, at.sale, step.size)
  },
  /** A part is captured. The rest, and what is refunded of it, follow. */
  async capturePart(history, step) {
    const at = await sold(history, step, pick(['route_c', 'route_d'], step.size))
    if (!at) return
    await later(history, 11 * SECOND)
    if (step.size % 5 === 0)
      spoil(at.desk, { on: 'write', what: pick(['lost', 'never', 'broken'] as const, step.size >> 3) })
    await ask(history, at.sale, step.size % 4 === 0 ? 'void' : 'capture', {
      amountMinor: partOf(at.sale, 1 + (step.size >> 3)),
    })
    await later(history, 11 * SECOND)
    await ask(history, at.sale, 'refunds', { amountMinor: partOf(at.sale, 2 + (step.size % 2)) })
    await later(history, 11 * SECOND)
  },
  /** A payment is taken back as a whole before its bank has settled it. */
  async voidPaid(history, step) {
    const at = await sold(history, step, 'route_e')
    if (!at) return
    await later(history, 11 * SECOND)
    if (step.size % 4 === 0) spoil(at.desk, { on: 'write', what: 'lost' })
    await ask(history, at.sale, 'void')
    await later(history, 11 * SECOND)
  },
  /** Nobody captures, and the hold lapses. */
  async lapse(history, step) {
    await sold(history, step, pick(['route_c', 'route_d'], step.size))
    await later(history, 11 * SECOND)
    await later(history, pick([8 * DAY, 30 * DAY], step.size >> 1))
  },
  /** The provider works on a payment for days after its buyer has finished. */
  async underWay(history, step) {
    const at = await sold(history, step, pick(['route_a', 'route_b'], step.size), 'under_way')
    if (!at) return
    await later(history, 95 * MINUTE)
    await later(history, 31 * MINUTE)
    await later(history, pick([HOUR, 2 * DAY, 5 * DAY], step.size >> 1))
    history.faults.push(...(await findAtOnce(history)))
    await at.desk.decide(step.size % 3 > 0)
    await at.desk.letters(step.size % 2 === 0 ? 'deliver' : 'lose')
    await later(history, 2 * HOUR)
  },
  /** The answer to the creation is lost, and the provider is away for a while. The merchant or the buyer comes back. */
  async createInVain(history, step) {
    const route = pick(ALL, step.size)
    const desk = deskOf(history, route)
    const whats = ['lost', 'crash', 'never', 'failed', 'failed_first'] as const
    spoil(desk, { on: 'open', what: pick(whats, step.size >> 3) })
    const size = 2 + 7 * step.size
    const body = { key: history.keys + 1 }
    await dying(history, 'web', null, async () => void (await sell(history, { at: 0, size }, route)))
    await desk.door.setAway(step.size % 2 === 0)
    await later(history, 95 * SECOND)
    await desk.door.setAway(false)
    await later(history, pick([4 * SECOND, 61 * SECOND], step.size))
    history.keys = body.key - 1
    const sale = await sell(history, { at: 0, size }, route)
    if (sale) await press(history, sale, step.size)
  },
  /** PayPal declines, the answer to the next order is lost, and the merchant repeats its request before anybody has looked. */
  async repeatInVain(history, step) {
    const [size, key] = [2 + 7 * step.size, history.keys]
    const sale = await sell(history, { at: 0, size }, 'route_b')
    if (!sale) return
    await buy(history, sale, 'decline', 1)
    await comeBack(history, sale)
    spoil(deskOf(history, 'route_b'), {
      on: 'open',
      what: pick(['lost', 'crash', 'never'] as const, step.size),
    })
    await dying(history, 'web', null, async () => void (await press(history, sale, 0)))
    if ((await ordersOf(history, sale)).at(-1)?.state !== 'opening') return
    advance(history, 95 * SECOND)
    history.keys = key
    await sell(history, { at: 0, size }, 'route_b')
  },
  /** Somebody acts while an answer is on its way. */
  async cross(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const { sale, desk } = at
    const on = step.size % 2 === 0 ? 'read' : 'write'
    const act = meanwhile(history, at, step.size >> 2)
    const main = pick(['refund', 'letters', 'lookUp', 'refund'] as const, step.size >> 1)
    if (main === 'refund') await ask(history, sale, 'refunds', { amountMinor: partOf(sale, step.size >> 4) })
    spoil(desk, { on, what: step.size % 3 === 0 ? 'before' : 'after', ...(act && { act }) })
    if (main === 'letters') await desk.letters('deliver')
    else if (main === 'lookUp') await ACTS.lookUp(history, step)
    await sweepAll(history)
    desk.door.state.pranks = desk.door.state.pranks.filter(
      ({ what }) => what !== 'before' && what !== 'after',
    )
    await later(history, 11 * SECOND)
  },
  /** A dispute about a part, and what is asked for meanwhile and afterwards. */
  async partDispute(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const { sale, desk, reference } = at
    if (step.size % 3 === 0) await desk.refundsWill(reference, 'pending')
    if (step.size % 2 === 0) await ask(history, sale, 'refunds', { amountMinor: partOf(sale, 2) })
    await sweepAll(history)
    await desk.dispute(
      reference,
      pick(['lost', 'lost', 'won', 'inquiry'] as const, step.size >> 2),
      partOf(sale, 1 + (step.size >> 4)),
    )
    advance(history, 4 * SECOND)
    await desk.letters('deliver')
    await ask(history, sale, 'refunds', { amountMinor: partOf(sale, step.size >> 5) })
    await later(history, 11 * SECOND)
    await later(history, pick([61 * SECOND, 25 * HOUR], step.size))
    await desk.letters('deliver')
    await ask(history, sale, 'refunds', { amountMinor: partOf(sale, step.size >> 6) })
    await later(history, 11 * SECOND)
    if (step.size % 4 === 0) await desk.regain(reference)
  },
} satisfies Record<string, Act>
