/** What must hold of each charge of a subscription at the end of a history. */
import type { ChargeRow } from './books.ts'
import type { History } from './history.ts'
import type { Arrival } from './serve.ts'
import { keptMinor, type Standing } from './standing.ts'

const HOUR_MS = 3_600_000
/** How long a provider knows the key of a charge. */
const KEY_LIFETIMES_MS = { stripe: 24 * HOUR_MS, paypal: 6 * HOUR_MS, bank: 0 } as const

/** A charge that may have arrived is not sent again when its provider has forgotten its key: it would take the money twice. */
function findForgottenKeys({ desks }: History['world'], reference: string): string[] {
  return Object.entries(desks).flatMap(([name, { door }]) => {
    const keyOf = ({ headers, body }: Arrival) =>
      headers['idempotency-key'] ??
      headers['paypal-request-id'] ??
      (body.includes(reference) ? reference : '')
    const sent = door.state.seen.filter(
      (each) => each.kind === 'write' && keyOf(each) === reference && (each.status ?? 500) !== 401,
    )
    const [first, last] = [sent[0], sent.at(-1)]
    const ms = first && last ? last.at - first.at : 0
    return ms > KEY_LIFETIMES_MS[name as 'stripe']
      ? [`it was sent to ${name} again ${ms / HOUR_MS} hours after the first time`]
      : []
  })
}

/** One charge for each period and try. A charge failed only where its provider declined it. One that got lost is made again. */
export function findInCharges({ world }: History, charges: ChargeRow[], orders: Standing[]): string[] {
  const faults: string[] = []
  const orderOf = (charge: ChargeRow) => orders.filter(({ reference }) => reference === charge.reference)
  for (const [about, all] of Map.groupBy(
    charges,
    (each) => `${each.subscription_id} period ${each.period}`,
  )) {
    const paid = all.flatMap(orderOf).filter((order) => keptMinor(order) > 0)
    const isKnown = all.some(({ state }) => state === 'surplus')
    if (paid.length > 1 && !isKnown) faults.push(`${about} was charged ${paid.length} times`)
    const last = all.findLast(({ sent_at }) => sent_at)
    if (last?.state === 'lost' && last.subscription !== 'cancelled')
      faults.push(`${about} got lost, and was not charged again`)
  }
  for (const charge of charges) {
    const { subscription_id, period, attempt, state, sent_at, status, cancel_reason } = charge
    const name = `${subscription_id} period ${period} try ${attempt} (${state}, ${status})`
    const hasMoney = orderOf(charge).some((order) => order.capturedMinor > 0)
    if (state === 'open' || status === 'status_unknown') faults.push(`${name} stands still`)
    if ((state === 'paid') !== hasMoney && state !== 'surplus' && state !== 'open')
      faults.push(`${name}: its provider ${hasMoney ? 'has' : 'has no'} money`)
    const arrived = Object.values(world.desks)
      .flatMap(({ door }) => door.state.seen)
      .filter(({ kind, body, url }) => kind === 'write' && (body + url).includes(charge.reference))
    const isAnswered = arrived.some(
      ({ status: answered, text }) =>
        (answered !== null && answered >= 400 && answered < 500) || text.includes('"refused"'),
    )
    // A provider that failed before it answered has an order that it has declined.
    const isDeclined = isAnswered || orderOf(charge).some(({ capturedMinor }) => capturedMinor === 0)
    faults.push(...findForgottenKeys(world, charge.reference).map((each) => `${name}: ${each}`))
    if (state === 'failed' && sent_at && !isDeclined) faults.push(`${name}: nobody declined it`)
    if (cancel_reason === 'hard_decline' && state === 'failed' && attempt === 1 && !isDeclined)
      faults.push(`${name}: cancelled without a decline`)
  }
  return faults
}
