/** What the database has of a shop's payments. */
import { listPaymentEvents } from '../../storage/events/events.ts'
import { listAttempts } from '../../storage/payments/attempt-orders.ts'
import {
  findOperationById,
  listPaymentOperations,
  type OperationRecord,
} from '../../storage/payments/operations.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { listPaymentWarnings } from '../../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { listSubscriptionCharges } from '../../storage/payments/subscription-charges.ts'
import { findSubscription } from '../../storage/payments/subscriptions.ts'
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

    /** The states of a payment's orders at providers. */
    async listStates(payment: AttemptedPayment): Promise<string[]> {
      return (await listAttempts(ctx.db, payment)).map(({ state }) => state)
    },

    /** The bodies of a payment's events. */
    async listEvents(id: string) {
      return (await listPaymentEvents(ctx.db, merchantId, id)).map(({ body }) => JSON.parse(body))
    },

    listOperations: (id: string) => listPaymentOperations(ctx.db, merchantId, id),

    /** The lines of a payment's timeline. */
    listChanges: (id: string) => listPaymentChanges(ctx.db, merchantId, id),

    findSubscription: (id: string) => findSubscription(ctx.db, merchantId, id),

    listCharges: (subscriptionId: string) => listSubscriptionCharges(ctx.db, { merchantId, subscriptionId }),
  }
}
