/** Several acts in an order in which money can get lost, which single acts seldom find. */
import { call } from '../calls.ts'
import {
  createSubscription,
  createToken,
  subscriptionRequest,
  tokenRequest,
} from '../payments/subscriptions.ts'
import {
  ACTS,
  type Act,
  ask,
  breakOwnAccount,
  buy,
  comeBack,
  confirmByHand,
  DAY,
  HOUR,
  judge,
  MINUTE,
  partOf,
  press,
  resolveAny,
  resolveReceipts,
  retryReceipts,
  rotateWrongly,
  SECOND,
  sell,
} from './acts.ts'
import type { Prank } from './door.ts'
import {
  advance,
  type Choice,
  chosen,
  deskOf,
  dying,
  type History,
  moneyOrder,
  request,
  type Sale,
  spoil,
  sweepAll,
} from './history.ts'
import { findAtOnce } from './rules.ts'
import type { Deed, Desk } from './standing.ts'
import type { RouteName } from './world.ts'

const ALL = ['route_a', 'route_b', 'route_c', 'route_d', 'route_e'] as const
const ONE_STEP = ['route_a', 'route_b', 'route_e'] as const
const pick = <Value>(all: readonly Value[], size: number): Value => all[size % all.length] as Value

async function later(history: History, ms: number): Promise<void> {
  advance(history, ms)
  await sweepAll(history)
}

/** A new sale whose buyer does this at once. */
async function sold(
  history: History,
  step: Choice,
  route: RouteName,
  deed: Deed = 'pay',
): Promise<{ sale: Sale; desk: Desk } | null> {
  const sale = await sell(history, step, route)
  if (!sale) return null
  await buy(history, sale, deed, 1)
  await comeBack(history, sale)
  return { sale, desk: deskOf(history, route) }
}

/** A sale with money at its provider: one that there is, or a new one. */
async function withMoney(
  history: History,
  step: Choice,
): Promise<{ sale: Sale; desk: Desk; reference: string } | null> {
  const known = step.size % 3 > 0 ? chosen(history, step.at) : undefined
  const found = known && (await moneyOrder(history, known))
  if (known && found && found.order.capturedMinor > 0)
    return { sale: known, desk: found.desk, reference: found.order.reference }
  const fresh = await sold(history, step, pick(ONE_STEP, step.size >> 2))
  const order = fresh && (await moneyOrder(history, fresh.sale))
  return fresh && order ? { ...fresh, reference: order.order.reference } : null
}

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

export const SCENES = {
  async paid(history, step) {
    const sale = await sold(history, step, pick(ALL, step.size))
    if (sale && step.size % 3 === 0) await sale.desk.letters('deliver')
    await later(history, 11 * SECOND)
  },
  /** Our refund never arrives, and somebody refunds the same sum at the provider. */
  async sameByStaff(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const amountMinor = partOf(at.sale, step.size >> 3)
    spoil(at.desk, { on: 'write', what: step.size % 2 === 0 ? 'never' : 'lost' })
    await ask(history, at.sale, 'refunds', { amountMinor })
    await sweepAll(history)
    await at.desk.staff(at.reference, 'refund', amountMinor)
    await later(history, pick([SECOND, 61 * SECOND, 25 * HOUR], step.size >> 4))
  },
  /** The provider does not get a write, or its answer is lost, and nobody looks for longer than it remembers a key. */
  async silence(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const whats = ['never', 'lost', 'broken', 'crash', 'failed', 'failed_first'] as const
    spoil(at.desk, { on: 'write', what: pick(whats, step.size) })
    await ask(history, at.sale, 'refunds', { amountMinor: partOf(at.sale, step.size >> 3) })
    await dying(history, 'worker', null, () => sweepAll(history))
    await later(history, pick([2 * MINUTE, 25 * HOUR], step.size >> 5))
  },
  /** A refund did not arrive, and the buyer opens a dispute before it is sent again. */
  async disputeBetween(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    spoil(at.desk, { on: 'write', what: 'never' })
    await ask(history, at.sale, 'refunds', { amountMinor: partOf(at.sale, step.size >> 3) })
    await sweepAll(history)
    await at.desk.dispute(at.reference, step.size % 2 === 0 ? 'lost' : 'won', partOf(at.sale, step.size >> 5))
    await later(history, 5 * SECOND)
    await later(history, 31 * SECOND)
  },
  /** The provider works on a refund, and an older answer arrives. Where the refund failed, the merchant asks again. */
  async lateLook(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    await at.desk.refundsWill(at.reference, pick(['pending', 'fails_later'] as const, step.size))
    const amountMinor = partOf(at.sale, 1 + (step.size >> 3))
    await ask(history, at.sale, 'refunds', { amountMinor })
    await sweepAll(history)
    spoil(at.desk, { on: 'read', what: 'stale' })
    await later(history, 5 * SECOND)
    await later(history, 9 * SECOND)
    await ask(history, at.sale, 'refunds', { amountMinor })
    await later(history, 61 * SECOND)
  },
  /** A refund that succeeded fails after all, and no callback says so. */
  async undone(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    await at.desk.refundsWill(at.reference, 'fails_after_success')
    await ask(history, at.sale, 'refunds', {
      amountMinor: partOf(at.sale, step.size % 3 === 0 ? 0 : step.size),
    })
    await sweepAll(history)
    await at.desk.letters('deliver')
    advance(history, 21 * SECOND)
    await at.desk.work()
    await at.desk.letters(step.size % 2 === 0 ? 'lose' : 'deliver')
  },
  /** A bank lists a refund twice, or shows it in its list before its sum does. The merchant asks for all of it once more. */
  async strangeList(history, step) {
    const at = await withMoney(history, step)
    if (!at) return
    const amountMinor = partOf(at.sale, step.size >> 2)
    await ask(history, at.sale, 'refunds', { amountMinor })
    const what = step.size % 2 === 0 ? 'listed_twice' : 'sum_late'
    for (let times = 0; times < 4; times++) spoil(at.desk, { on: 'read', what })
    await sweepAll(history)
    await ask(history, at.sale, 'refunds', { amountMinor })
    await later(history, 11 * SECOND)
  },
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
  /** The buyer pays the order after the declined one, and the declined one too. */
  async payTwice(history, step) {
    const sale = await sell(history, { at: 0, size: 1 + 7 * step.size })
    if (!sale) return
    await press(history, sale, step.size % 2 === 0 ? 1 : 3)
    await buy(history, sale, 'decline', 1)
    await comeBack(history, sale)
    const [first] = sale.urls
    // The third of the routes holds money first.
    const next = await press(history, sale, step.size % 3 === 0 ? 2 : step.size >> 2)
    if (next) await buy(history, sale, 'pay', 1)
    if (step.size % 3 > 0) await comeBack(history, sale)
    const desk = Object.values(history.world.desks).find(({ origin }) => first?.startsWith(origin))
    if (first && first !== next) await desk?.buy(first, 'pay')
    await desk?.letters('deliver')
    await comeBack(history, sale)
    await later(history, 61 * SECOND)
  },
  /** Two people decide about one payment within the provider's answering time. */
  async twoPeople(history, step) {
    const at = await sold(history, step, pick(['route_a', 'route_b', 'route_e'], step.size), 'underpay')
    if (!at) return
    await later(history, 11 * SECOND)
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
  /** The worker dies at some statement. */
  async workerDies(history, { size }) {
    await dying(history, 'worker', size % 40, () => sweepAll(history))
    await later(history, 95 * SECOND)
  },
  async webDies(history, step) {
    const sale = chosen(history, step.at)
    await dying(history, 'web', step.size % 12, async () => {
      if (!sale || step.size % 3 === 0) await sell(history, step)
      else if (step.size % 3 === 1) await comeBack(history, sale)
      else await ask(history, sale, 'refunds', { amountMinor: partOf(sale, step.size >> 2) })
    })
    await later(history, 95 * SECOND)
  },
  async ownAccount(history, step) {
    if (step.size % 2 === 0) await breakOwnAccount(history, true)
    else await rotateWrongly(history)
    const sale = await sell(history, { at: 4, size: 3 + 14 * step.size }, 'route_a')
    if (sale && (await press(history, sale, 0))) await buy(history, sale, 'pay', 1)
    await breakOwnAccount(history, false)
    if (sale) await comeBack(history, sale)
  },
  async byHand(history, { size }) {
    await confirmByHand(history, size)
  },
  async receiptsAgain(history, { size }) {
    if (size % 2 === 0) await resolveReceipts(history)
    else await retryReceipts(history)
    await sweepAll(history)
  },
  async subscribe(history, step) {
    await subscribe(history, step)
  },
  /** A period begins, and something happens to its charge. */
  async renewal(history, step) {
    if (history.subscriptions.length === 0) await subscribe(history, step)
    advance(history, pick([DAY, 7 * DAY, 31 * DAY], step.size) + MINUTE)
    for (const desk of Object.values(history.world.desks)) {
      const whats = ['lost', 'never', 'broken', 'crash', 'failed', 'failed_first', null] as const
      const what = pick(whats, step.size >> 2)
      if (what) spoil(desk, { on: 'write', what })
      await desk.door.setAway(step.size % 7 === 0)
    }
    await dying(history, 'worker', null, () => sweepAll(history))
    if (step.size % 7 === 0) for (let times = 0; times < 4; times++) await later(history, 30 * MINUTE)
    for (const { door } of Object.values(history.world.desks)) {
      await door.setAway(false)
      door.state.pranks = []
    }
    await later(history, 61 * SECOND)
    await later(history, pick([61 * SECOND, 2 * MINUTE, 25 * HOUR], step.size >> 5))
  },
} satisfies Record<string, Act>

async function subscribe(history: History, { at, size }: Choice): Promise<void> {
  const { kassa, sellers, look } = history.world
  const [{ shop }] = sellers
  const route = pick(['route_a', 'route_b', 'route_e'] as const, size)
  const { body } = await createToken(kassa.url, shop, {
    key: `token-${++history.keys}`,
    body: tokenRequest({ providerRoute: route }),
  })
  const setupUrl = body.setupUrl ?? ''
  if (!setupUrl) return
  history.tokens.push({ id: body.token.id, route, seller: sellers[0], setupUrl })
  const will = pick(['save', 'save', 'save', 'save_then_decline', 'save_then_hard'] as const, size >> 2)
  await deskOf(history, route).setUpPage(setupUrl, will)
  const back = await fetch(`${kassa.url}/payment-method-tokens/${body.token.id}/return`, {
    redirect: 'manual',
  })
  await back.text()
  const terms = {
    ...{
      providerRoute: route,
      merchantSubscriptionId: `box-${history.keys}`,
      amountMinor: 700 + (size % 500),
    },
    interval: pick(['day', 'week', 'month'] as const, at + (size >> 5)),
  }
  const created = await request(
    history,
    'a subscription',
    createSubscription(kassa.url, shop, {
      key: `sub-${++history.keys}`,
      body: subscriptionRequest(body.token.id, terms),
    }),
  )
  const id = created?.body.subscription?.id
  history.lines.push(
    `  a subscription ${id} on ${route}, ${terms.interval}, card: ${will}: ${created?.status}`,
  )
  if (id) history.subscriptions.push({ id, seller: sellers[0] })
  await look.query('select 1')
  await sweepAll(history)
}

/** The merchant ends a subscription. */
export async function cancelAny(history: History, { at }: Choice): Promise<void> {
  const { kassa } = history.world
  const one = history.subscriptions[at % history.subscriptions.length]
  if (!one) return
  await call(`${kassa.url}/v1/subscriptions/${one.id}/cancel`, {
    headers: {
      authorization: `Bearer ${one.seller.shop.token}`,
      'idempotency-key': `cancel-${++history.keys}`,
    },
  })
}
