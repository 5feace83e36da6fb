/** A format by the names and the cells of the columns. What it cannot tell is asked. */

import type { Layout } from './describe.ts'
import { StatementFormat } from './format.ts'

const LISTED = 20

/** Returns null where no column of dates or of amounts was found. */
export function guessFormat({ names, head, roles, orders, texts }: Layout): StatementFormat | null {
  const nameOf = (at: number | undefined) => (at === undefined ? undefined : names[at])
  const { at, amount, debit, credit } = roles
  if (at === undefined || [amount, debit, credit].every((place) => place === undefined)) return null
  const singles = {
    at: nameOf(at),
    amount: nameOf(amount),
    debit: amount === undefined ? nameOf(debit) : undefined,
    credit: amount === undefined ? nameOf(credit) : undefined,
    time: nameOf(roles.time),
    zone: nameOf(roles.zone),
    currency: nameOf(roles.currency),
    id: nameOf(roles.id),
    fee: nameOf(roles.fee),
    feeCurrency: nameOf(roles.feeCurrency),
    direction: amount === undefined ? undefined : nameOf(roles.direction),
    payout: nameOf(roles.payout),
    status: nameOf(roles.status),
  }
  const named = (places: number[]) =>
    places
      .map((place) => names[place] ?? '')
      .filter((name) => name !== '')
      .slice(0, LISTED)
  // What a word in a column of kinds means, the words do not say. The sign of the amount does.
  return StatementFormat.parse({
    ...(head.rows === 0 && { head: 'none' }),
    columns: {
      ...Object.fromEntries(Object.entries(singles).filter(([, name]) => name !== undefined)),
      orders: named(orders),
      texts: named([...texts, ...[roles.kind].filter((place) => place !== undefined)]),
    },
  })
}

/** Returns the columns by what they may mean, for a person who decides. If several columns may have one meaning, the first is taken. */
export function rolesFound({ names, roles, orders, texts }: Layout): Record<string, string> {
  const single = Object.entries(roles).flatMap(([role, at]) =>
    role === 'net' || role === 'balance' ? [] : [[role, names[at] ?? '']],
  )
  const [order = texts[0]] = orders
  return Object.fromEntries([...single, ...(order === undefined ? [] : [['orders', names[order] ?? '']])])
}
