/** Single acts of buyers, merchants, operators, providers and clocks. An act that makes no sense now does nothing. */
import { lookUp } from '../calls.ts'
import {
  advance,
  type Choice,
  chosen,
  DAY,
  type History,
  HOUR,
  MINUTE,
  moneyOrder,
  request,
  type Sale,
  SECOND,
  sweepAll,
} from './history.ts'
import { judge, resolveAny } from './people.ts'
import type { Deed } from './standing.ts'
import { ask, buy, comeBack, partOf, press, sell } from './trade.ts'

export type Act = (history: History, step: Choice) => Promise<void>

const desksOf = ({ world }: History) => Object.values(world.desks)

const DEEDS: Deed[] = [
  'pay',
  'pay',
  'pay',
  'pay',
  'pay',
  'decline',
  'cancel',
  'approve_only',
  'under_way',
  'underpay',
  'late',
]

const withSale =
  (act: (history: History, sale: Sale, step: Choice) => Promise<unknown>): Act =>
  async (history, step) => {
    const sale = chosen(history, step.at)
    if (sale) await act(history, sale, step)
  }

export const ACTS = {
  async create(history, step) {
    await sell(history, step)
  },
  goOn: withSale((history, sale, { size }) => press(history, sale, size)),
  buy: withSale(async (history, sale, { size }) => {
    const done = await buy(history, sale, DEEDS[size % DEEDS.length] ?? 'pay', size >> 4)
    if (done && size % 3 > 0) await comeBack(history, sale)
  }),
  comeBack: withSale(comeBack),
  lookUp: withSale((history, { id, seller }) =>
    request(history, 'a look-up', lookUp(history.world.kassa.url, seller.shop, id)),
  ),
  refund: withSale((history, sale, { size }) =>
    ask(history, sale, 'refunds', { amountMinor: partOf(sale, size), again: size % 11 === 0 }),
  ),
  capture: withSale((history, sale, { size }) =>
    ask(history, sale, 'capture', { amountMinor: partOf(sale, size) }),
  ),
  void: withSale((history, sale) => ask(history, sale, 'void')),
  async work(history) {
    await sweepAll(history)
  },
  async letters(history, { at, size }) {
    const desk = desksOf(history)[at % 3]
    await desk?.letters(
      (['deliver', 'deliver', 'lose', 'twice', 'backwards'] as const)[size % 5] ?? 'deliver',
    )
  },
  staff: withSale(async (history, sale, { size }) => {
    const found = await moneyOrder(history, sale)
    const what = (['refund', 'refund', 'capture', 'void'] as const)[size % 4] ?? 'refund'
    const done = await found?.desk.staff(found.order.reference, what, partOf(sale, size >> 2))
    history.lines.push(
      `  the shop's staff: ${what} of ${sale.id} at the provider, ${done ? 'done' : 'not possible'}`,
    )
  }),
  dispute: withSale(async (history, sale, { size }) => {
    const found = await moneyOrder(history, sale)
    const what = (['lost', 'lost', 'won', 'inquiry'] as const)[size % 4] ?? 'lost'
    const done = await found?.desk.dispute(found.order.reference, what, partOf(sale, size >> 2))
    history.lines.push(`  a dispute (${what}) of ${sale.id}: ${done ? 'opened' : 'not possible'}`)
  }),
  regain: withSale(async (history, sale) => {
    const found = await moneyOrder(history, sale)
    await found?.desk.regain(found.order.reference)
  }),
  refundsWill: withSale(async (history, sale, { size }) => {
    const found = await moneyOrder(history, sale)
    const what = (['fails_later', 'fails_after_success', 'pending', null] as const)[size % 4] ?? null
    await found?.desk.refundsWill(found.order.reference, what)
    history.lines.push(`  from now on refunds of ${sale.id}: ${what}`)
  }),
  async decide(history, { size }) {
    for (const desk of desksOf(history)) await desk.decide(size % 3 > 0)
  },
  async prank(history, { at, size }) {
    const what =
      (['lost', 'never', 'broken', 'stale', 'listed_twice', 'sum_late', 'denied'] as const)[size % 7] ??
      'lost'
    const on =
      what === 'stale' || what === 'listed_twice' || what === 'sum_late'
        ? 'read'
        : (['read', 'write', 'open'] as const)[(size >> 3) % 3]
    desksOf(history)[at % 3]?.door.state.pranks.push({ on: on ?? 'read', what })
    history.lines.push(`  the next ${on} at ${desksOf(history)[at % 3]?.name}: ${what}`)
  },
  async away(history, { at, size }) {
    await desksOf(history)[at % 3]?.door.setAway(size % 2 === 0)
    history.lines.push(`  ${desksOf(history)[at % 3]?.name} is ${size % 2 === 0 ? 'away' : 'there'}`)
  },
  async denied(history, { at, size }) {
    const desk = desksOf(history)[at % 3]
    if (desk) desk.door.state.denied = size % 2 === 0
    history.lines.push(`  ${desk?.name} refuses the credentials: ${size % 2 === 0}`)
  },
  async jump(history, { size }) {
    const ms =
      [3 * SECOND, 21 * SECOND, 61 * SECOND, 11 * MINUTE, 95 * MINUTE, 3 * HOUR, 25 * HOUR, 2 * DAY, 8 * DAY][
        size % 9
      ] ?? 0
    advance(history, ms)
    history.lines.push(`  ${ms / MINUTE} minutes pass`)
  },
  async register(history, { size }) {
    const FAULT = ([undefined, 'answer_lost', 'refuses', 'away'] as const)[size % 4]
    for (const { fiscal } of Object.values(history.world.ctx.routes))
      if (fiscal) Object.assign(fiscal.settings, { FAULT })
    history.lines.push(`  the register: ${FAULT ?? 'prints'}`)
  },
  resolve: withSale((history, sale, { size }) => resolveAny(history, sale, size)),
  judge: withSale((history, sale, { size }) => judge(history, sale, size % 4 > 0 ? null : 'wrong')),
} satisfies Record<string, Act>
