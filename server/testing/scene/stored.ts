/** What the database has of a shop's payments. */
import { findOperationById, type OperationRecord } from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import type { Kassa, Shop } from '../harness.ts'

export function storedBy({ ctx }: Kassa, { merchantId }: Shop) {
  return {
    /** @throws Error if there is no such payment */
    async getPayment(id: string): Promise<AttemptedPayment> {
      const payment = await findPaymentById(ctx.db, id)
      if (!payment) throw new Error(`There is no payment ${id}.`)
      return payment
    },

    /** @throws Error if there is no such operation */
    async getOperation(id: string): Promise<OperationRecord> {
      const operation = await findOperationById(ctx.db, id)
      if (!operation) throw new Error(`There is no operation ${id}.`)
      return operation
    },

    async listWarnings(id: string): Promise<string[]> {
      return (await listPaymentWarnings(ctx.db, merchantId, id)).map(({ detail }) => detail)
    },

    findStatus: async (id: string) => (await findPaymentById(ctx.db, id))?.status,
  }
}
