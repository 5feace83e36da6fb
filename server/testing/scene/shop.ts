/** What a shop's back end, its buyers and its bank do in a test. */
import { expect } from 'vitest'
import { referenceOf } from '../../id.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askOperation, call, createSession, lookUp, payAtBank, sessionRequest } from '../calls.ts'
import type { Kassa, Shop } from '../harness.ts'
import type { Ledger, OrderChange } from '../providers/ledger-bank.ts'
import { storedBy } from './stored.ts'

/** The session of a new payment, as the shop's back end gets it. */
type NewSession = { id: string; status: string; checkoutUrl: string; providerCheckoutUrl: string }

export type ShopActs = ReturnType<typeof shopActs>

let orders = 0
/** Returns a name for an order or a key that no other test of this file has. */
export const newName = (): string => `scene-${++orders}`

export function shopActs(kassa: Kassa, shop: Shop) {
  const { ctx, url } = kassa
  const stored = storedBy(kassa, shop)

  /** Creates a session of a new order of 19.00 USD. Returns the response. */
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

  /** Opens a payment, and its buyer chooses an outcome at the simulated bank. Null: the buyer does not come. Returns its id. */
  async function buy(changes: object = {}, outcome: string | null = 'paid'): Promise<string> {
    const { id, providerCheckoutUrl } = await open(changes)
    if (outcome !== null) await payAtBank(providerCheckoutUrl, outcome)
    return id
  }

  return {
    ...stored,
    ...bankActs(kassa),
    create,
    open,
    openPayment,
    pay,
    buy,

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
  }
}

/** What the bank of route_a does. */
function bankActs({ ctx, url }: Kassa) {
  return {
    /** The ledger bank changes an order, and calls back. The body is the name of the order, which is all that it sends. */
    async callBack(ledger: Ledger, paymentId: string, change: OrderChange = {}): Promise<void> {
      const reference = referenceOf(paymentId)
      ledger.move(reference, change)
      const { status } = await call(`${url}/callbacks/${ctx.routes.route_a.id}`, { body: reference })
      expect(status).toBe(200)
    },
  }
}
