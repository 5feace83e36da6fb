/** What tests of faults do with a shop's payments, for any provider. */
import { listPaymentOperations } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPayment } from '../../storage/payments/payments.ts'
import { askOperation } from '../calls.ts'
import type { Kassa, Shop } from '../harness.ts'

/** Steps of time that are long enough for the schedule and for every fault. */
const A_WHILE_MS = [3_000, 12_000, 30_000, 45_000, 60_000, 120_000, 300_000]

/** `later`: moves the clock, and runs everything that is due. */
export function paymentsOf(
  { ctx, url }: Pick<Kassa, 'ctx' | 'url'>,
  shop: Shop,
  later: (ms: number) => Promise<void>,
) {
  let keys = 0
  const payment = async (id: string) => (await findPayment(ctx.db, shop.merchantId, id)) as AttemptedPayment
  return {
    payment,
    status: async (id: string) => (await payment(id)).status,
    operations: (id: string) => listPaymentOperations(ctx.db, shop.merchantId, id),
    ask: (id: string, what: 'refunds' | 'capture' | 'void', body: object) =>
      askOperation(url, shop, id, what, { key: `operation-${++keys}`, body }),
    async aWhileLater(): Promise<void> {
      for (const ms of A_WHILE_MS) await later(ms)
    },
  }
}
