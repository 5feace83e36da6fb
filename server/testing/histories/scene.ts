/** What the scenes share: sales that are made, and money that has arrived. */
import {
  advance,
  type Choice,
  chosen,
  deskOf,
  type History,
  moneyOrder,
  type Sale,
  sweepAll,
} from './history.ts'
import type { Deed, Desk } from './standing.ts'
import { buy, comeBack, sell } from './trade.ts'
import type { RouteName } from './world.ts'

/** The routes, and those that take the money at once. */
export const ALL = ['route_a', 'route_b', 'route_c', 'route_d', 'route_e'] as const
const ONE_STEP = ['route_a', 'route_b', 'route_e'] as const

export const pick = <Value>(all: readonly Value[], size: number): Value => all[size % all.length] as Value

export async function later(history: History, ms: number): Promise<void> {
  advance(history, ms)
  await sweepAll(history)
}

/** A new sale whose buyer does this at once. */
export async function sold(
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
export async function withMoney(
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
