/** A shop whose payments need fiscal receipts, and the faults of its register. */
import type { ProviderRoute } from '../../contract/fields.ts'
import type { RouteFiscal } from '../../providers/fiscal/driver.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { listReceipts } from '../../storage/payments/receipts.ts'
import { SWEEPS } from '../../worker/sweeps.ts'
import { askOperation, call, createSession, payAtBank, sessionRequest } from '../calls.ts'
import { type Kassa, openShop } from '../harness.ts'

/** Opens a shop, and returns what tests do with its payments and receipts. Every id is a payment's id. */
export async function openFiscalShop(kassa: Kassa) {
  const shop = await openShop(kassa.ctx)
  const { db } = kassa.ctx
  let keys = 0
  const newKey = () => `fiscal-${++keys}`
  const print = () => SWEEPS.fiscalReceipts(kassa.ctx)
  const stored = async (id: string) => (await findPaymentById(db, id)) as AttemptedPayment

  return {
    shop,
    newKey,
    /** Prints every receipt that is due. */
    print,
    stored,
    fiscalStatus: async (id: string) => (await stored(id)).fiscalStatus,
    receipts: (id: string) => listReceipts(db, shop.merchantId, id),

    setRegisterFault: registerOf(kassa),

    /** Creates a payment that the buyer pays at the bank. Returns its id. */
    async pay(provider: ProviderRoute = 'route_a', changes: object = {}): Promise<string> {
      const key = newKey()
      const body = sessionRequest({ merchantOrderId: key, provider, ...changes })
      const { body: session } = await createSession(kassa.url, shop, { key, body })
      await payAtBank(session.providerCheckoutUrl, 'paid')
      return session.id
    },

    /** Requests a refund and carries it out, which also inserts its receipt. */
    async refund(id: string, amountMinor: number): Promise<void> {
      const request = { key: newKey(), body: { amountMinor, reason: 'broken' } }
      const { status } = await askOperation(kassa.url, shop, id, 'refunds', request)
      if (status !== 201) throw new Error(`The refund was rejected with ${status}.`)
      await SWEEPS.moneyOperations(kassa.ctx)
    },

    /** Requests a retry of the payment's receipt. */
    retry: (id: string, key = newKey()) =>
      call(`${kassa.url}/v1/fiscal-receipts/${id}/retry`, {
        headers: { authorization: `Bearer ${shop.token}`, 'idempotency-key': key },
      }),

    printed: (id: string) => listPrinted(kassa, id),

    /** Advances the clock, and then prints every receipt that is due. */
    async printAfter(ms: number): Promise<void> {
      kassa.clock.advance(ms)
      await print()
    },

    /** Returns an operation's row. */
    async operation(id: string) {
      const { rows } = await db.query(
        'select status, provider_operation_id, status_reason from sandbox.operations where id = $1',
        [id],
      )
      return rows[0]
    },
  }
}

/** Undefined: the register cannot do this any more. */
type RegisterChanges = {
  [Member in keyof RouteFiscal['driver']]?: RouteFiscal['driver'][Member] | undefined
}

/** Returns what sets the fault of route_a's register from then on. `driver` replaces methods of its driver. */
function registerOf({ ctx }: Kassa) {
  const { route_a: route } = ctx.routes
  const fiscal = route.fiscal as RouteFiscal
  return (FAULT: string | undefined, driver: RegisterChanges = {}) => {
    route.fiscal = {
      ...fiscal,
      driver: Object.assign({}, fiscal.driver, driver),
      settings: { FAULT },
    }
  }
}

/** Returns the receipts that the register has printed for a payment. */
async function listPrinted(
  { ctx }: Kassa,
  id: string,
): Promise<{ amountMinor: number; saleNumber?: string }[]> {
  const { rows } = await ctx.db.query(
    `select body from sandbox.sandbox_receipts where number is not null
     and reference in (select id from sandbox.receipts where payment_id = $1) order by number`,
    [id],
  )
  return rows.map(({ body }) => body)
}
