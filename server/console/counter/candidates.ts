/** The payments that somebody at a counter may mean by a number or a sum: those of today first. */
import { findPayments } from '../../operator/finding/find.ts'
import { lookFor } from '../../operator/finding/list.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { cutOfDay, TIMES_OF } from '../payments/days.ts'
import { readAmount } from '../typed-amount.ts'
import type { View } from '../world.ts'

const SHOWN_MAX = 12

/** `isOrder`: the text names a day that the person may not see. It may still be the number of an order. */
export async function candidatesOf(
  view: View,
  text: string,
  { isOrder }: { isOrder: boolean },
): Promise<AttemptedPayment[]> {
  const { ctx, merchantId, zones } = view
  const [found, ofToday] = await Promise.all([
    findPayments(ctx, text, { isOrder, merchantId, zones, limit: SHOWN_MAX }),
    isOrder ? [] : paidToday(view, text),
  ])
  const { fromId = '' } = cutOfDay('created', 'today', view)
  const all = new Map(
    [...ofToday, ...found.found.map(({ payment }) => payment)].map((each) => [each.id, each]),
  )
  const newest = new Set(ofToday.map(({ id }) => id))
  const isOld = ({ id }: AttemptedPayment) => Number(id < fromId && !newest.has(id))
  // Keep the order of the search, but put the payments of today first: at a counter people usually mean today.
  return [...all.values()].sort((one, other) => isOld(one) - isOld(other)).slice(0, SHOWN_MAX)
}

/** A sum of a minute ago has no row in the search yet. A link of another day may have been paid today. */
async function paidToday(view: View, text: string): Promise<AttemptedPayment[]> {
  const { ctx, merchantId } = view
  // Every currency has two digits in the books, so the sum is looked for in all of them.
  const amountMinor = readAmount(text, 'USD')
  if (typeof amountMinor === 'string') return []
  const wanted = { merchantId, minMinor: amountMinor, maxMinor: amountMinor, limit: SHOWN_MAX }
  const pages = await Promise.all(
    TIMES_OF.map((of) => lookFor(ctx, { ...wanted, ...cutOfDay(of, 'today', view) })),
  )
  return pages.flatMap(({ payments }) => payments)
}
