/**
 * A shop on a Kassa of its own, for the tests of one file: what its back end, its buyers and its bank do. The Kassa closes after the
 * tests.
 */
import { afterAll, expect } from 'vitest'
import { referenceOf } from '../id.ts'
import type { Snapshot } from '../providers/driver.ts'
import { findOperationById, type OperationRecord } from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { listPaymentWarnings } from '../storage/payments/payment-warnings.ts'
import { findPaymentById } from '../storage/payments/payments.ts'
import { SWEEPS } from '../worker/sweeps.ts'
import { askOperation, call, createSession, lookUp, sessionRequest } from './calls.ts'
import { type Kassa, openShop, type Shop, startKassa } from './harness.ts'
import type { Ledger } from './providers/ledger-bank.ts'

export type Scene = { kassa: Kassa; shop: Shop } & ReturnType<typeof shopActs>

/** Starts a Kassa with one shop. */
export async function openScene(
  given: Parameters<typeof startKassa>[0] = {},
  terms: Parameters<typeof openShop>[1] = {},
): Promise<Scene> {
  const kassa = await startKassa(given)
  afterAll(() => kassa.close())
  const shop = await openShop(kassa.ctx, terms)
  return { kassa, shop, ...shopActs(kassa, shop) }
}

/** The session of a new payment, as the shop's back end gets it. */
export type NewSession = { id: string; status: string; checkoutUrl: string; providerCheckoutUrl: string }

let orders = 0
/** Returns a name for an order or a key that no other test of this file has. */
export const newName = (): string => `scene-${++orders}`

/** What the database has of a shop's payments. */
function storedBy({ ctx }: Kassa, shop: Shop) {
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
      return (await listPaymentWarnings(ctx.db, shop.merchantId, id)).map(({ detail }) => detail)
    },

    findStatus: async (id: string) => (await findPaymentById(ctx.db, id))?.status,
  }
}

/** For a Kassa and a shop that a test has opened by itself. */
export function shopActs(kassa: Kassa, shop: Shop) {
  const { ctx, url } = kassa
  const stored = storedBy(kassa, shop)

  /** Asks for a session of a new order of 19.00 USD. Returns the response. */
  const create = (changes: object = {}) => {
    const key = newName()
    return createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key, ...changes }) })
  }
  const open = async (changes: object = {}): Promise<NewSession> => (await create(changes)).body
  const openPayment = async (changes: object = {}) => stored.getPayment((await open(changes)).id)

  /** Opens a payment and looks it up, so that its bank is asked. A ledger bank says that it is paid, or authorized. */
  async function pay(changes: object = {}): Promise<AttemptedPayment> {
    const { id } = await open(changes)
    await lookUp(url, shop, id)
    return stored.getPayment(id)
  }

  return {
    ...stored,
    create,
    open,
    openPayment,
    pay,

    /** The same, with the name of the order at the bank. */
    async payOrder(changes: object = {}): Promise<{ id: string; reference: string }> {
      const { id, attempt } = await pay(changes)
      return { id, reference: attempt.reference }
    },

    /** Asks for a refund. Returns the response. */
    askRefund(id: string, amountMinor: number, key = newName()) {
      return askOperation(url, shop, id, 'refunds', { key, body: { amountMinor, reason: 'returned' } })
    },

    /** Carries out the operations that are due. */
    runOperations: () => SWEEPS.moneyOperations(ctx),

    /** The ledger bank changes an order, and calls back. */
    async callBack(ledger: Ledger, paymentId: string, change: Partial<Snapshot> = {}): Promise<void> {
      const reference = referenceOf(paymentId)
      ledger.move(reference, change)
      const answer = await call(`${url}/callbacks/${ctx.routes.route_a.id}`, { body: reference })
      expect(answer.status).toBe(200)
    },
  }
}
