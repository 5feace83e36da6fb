/** A new shop that sells from the console has nobody else who keeps its orders, so the order book keeps them. */
import { may } from '../../acts/policy.ts'
import { beginOrderBook } from '../../operator/orders/choose.ts'
import type { OwnVisit } from '../page.ts'
import { writing } from '../world.ts'

export const personOf = ({ id, name, role, prove }: OwnVisit['user']) => ({ id, name, role, prove })

/** After something was made by which the shop sells. Nothing happens for people who must not choose who gets the news. */
export async function beginBook(visit: OwnVisit, merchantId: string): Promise<void> {
  if (!may(visit.user, 'callback set')) return
  await beginOrderBook(writing(visit, 'callback set', merchantId), personOf(visit.user), merchantId)
}
