/** The staff of a Medusa shop, through the Admin API. */
import { toMajor } from '../../../clients/node/kassa.mjs'
import type { OrderView, PlatformShop, Refusal } from '../platform.ts'
import type { Api } from './api.ts'

const ORDER_FIELDS = ['payments', 'payments.captures', 'payments.refunds'].map(
  (each) => `*payment_collections.${each}`,
)

type Row = { id: string; amount: number }
type Payment = Row & { canceled_at: string | null; captures: Row[]; refunds: Row[] }
type Order = {
  id: string
  status: string
  metadata: { kassa?: string } | null
  cart?: { id: string }
  payment_collections: { payments: Payment[] }[]
}

const refusalOf = (work: Promise<unknown>): Promise<Refusal> =>
  work.then(
    () => null,
    (error: Error) => error.message,
  )

type Staff = Pick<
  PlatformShop,
  'view' | 'refund' | 'capture' | 'capturePart' | 'capturePartByCode' | 'void' | 'saveSettings'
>

export function staffOf({ admin, code, currencyOf, minorOf, sessionsOf }: Api): Staff {
  async function findOrder(cart: string): Promise<Order | undefined> {
    const fields = ['id', 'status', 'metadata', '*cart', ...ORDER_FIELDS].join(',')
    const { orders } = await admin(`/orders?limit=100&order=-created_at&fields=${fields}`)
    return orders.find((order: Order) => order.cart?.id === cart)
  }
  async function paymentOf(cart: string): Promise<string> {
    const payments = (await findOrder(cart))?.payment_collections.flatMap((each) => each.payments) ?? []
    const alive = payments.find(({ canceled_at }) => canceled_at === null)
    if (!alive) throw new Error(`The cart ${cart} has no order with a payment.`)
    return alive.id
  }
  const majorOf = (cart: string, amountMinor: number) => Number(toMajor(amountMinor, currencyOf(cart)))
  return {
    async view(cart): Promise<OrderView> {
      const order = await findOrder(cart)
      const payments = order?.payment_collections.flatMap((each) => each.payments) ?? []
      const sum = (rows: Row[]) => rows.reduce((total, { amount }) => total + minorOf(amount, cart), 0)
      const paidMinor = sum(payments.flatMap(({ captures }) => captures))
      const isHeld = payments.some(({ canceled_at }) => canceled_at === null)
      const sessions = order ? [] : await sessionsOf(cart)
      return {
        state: order?.status === 'canceled' ? 'cancelled' : paidMinor > 0 ? 'paid' : isHeld ? 'held' : 'open',
        paidMinor,
        refundedMinor: sum(payments.flatMap(({ refunds }) => refunds)),
        failures: sessions.filter(({ status }) => status === 'error' || status === 'canceled').length,
        notes: order?.metadata?.kassa ? [order.metadata.kassa] : [],
      }
    },
    async refund(cart, amountMinor) {
      const amount = majorOf(cart, amountMinor)
      return refusalOf(admin(`/payments/${await paymentOf(cart)}/refund`, { amount }))
    },
    capture: async (cart) => refusalOf(admin(`/payments/${await paymentOf(cart)}/capture`, {})),
    async capturePart(cart, amountMinor) {
      const amount = majorOf(cart, amountMinor)
      return refusalOf(admin(`/payments/${await paymentOf(cart)}/capture`, { amount }))
    },
    async capturePartByCode(cart, amountMinor) {
      const input = { payment_id: await paymentOf(cart), amount: majorOf(cart, amountMinor) }
      return refusalOf(code('/capture', input))
    },
    void: async (cart) => refusalOf(admin(`/orders/${(await findOrder(cart))?.id}/cancel`, {})),
    saveSettings: () => Promise.reject(new Error('Medusa has its settings in a file.')),
  }
}
