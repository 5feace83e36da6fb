/** A shop with many payments: a few real ones, and copies of them. */
import { writeAllRows } from '../../operator/finding/rows.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { createSession, payAtBank, sessionRequest } from '../calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from '../harness.ts'
import { copyPayments } from './many.ts'

const PAID = 24
const UNREACHED = 4

export type Scene = {
  kassa: Kassa
  /** With many payments, with some, and with few. */
  shops: Shop[]
  /** Makes copies until there are so many, with their search rows. */
  fill(count: number): Promise<void>
}

/** `total`: how many payments there will be. Their times are spread over 400 days. */
export async function openManyPayments(total: number): Promise<Scene> {
  const kassa = await startKassa()
  const shops = await Promise.all([1, 2, 3].map(() => openShop(kassa.ctx)))
  for (let index = 0; index < PAID + UNREACHED; index++) await pay(kassa, shops, index)
  await SWEEPS.searchRows(kassa.ctx)
  let filled = 0
  const fill = async (count: number) => {
    await copyPayments(kassa.ctx.db, { from: filled, count: count - filled, total, now: kassa.clock.now() })
    filled = count
    await writeAllRows(kassa.ctx)
  }
  return { kassa, shops, fill }
}

async function pay(kassa: Kassa, shops: Shop[], index: number): Promise<void> {
  const shop = shops[index % 12 === 11 ? 2 : index % 4 === 3 ? 1 : 0] as Shop
  const order = `template-${index}`
  const body = sessionRequest({
    merchantOrderId: order,
    amountMinor: 1_000 + index * 37,
    provider: 'route_a',
    customer: {
      email: `first.${index}@mail.example`,
      name: 'Zaruhi Zakaryan',
      phone: `+374 55 7788${index + 10}`,
    },
  })
  const { body: session } = await createSession(kassa.url, shop, { key: order, body })
  if (index < PAID) await payAtBank(session.providerCheckoutUrl, 'paid')
}
