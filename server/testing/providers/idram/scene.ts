/** A whole Kassa with an account at the simulated Idram, whose staff have set up the addresses of the account. */

import { listEntries } from '../../../storage/payments/entries.ts'
import { listPaymentWarnings } from '../../../storage/payments/payment-warnings.ts'
import { findPayment } from '../../../storage/payments/payments.ts'
import { SWEEPS } from '../../../worker/sweeps.ts'
import { createSession, sessionRequest } from '../../calls.ts'
import { openShop, startKassa } from '../../harness.ts'
import { routeSettings } from '../route-settings.ts'
import { ACCOUNT, startIdramServer } from './server.ts'

export type IdramScene = Awaited<ReturnType<typeof setIdramScene>>

let scenes = 0

/** `settings`: of the service, besides the account on `route_a`. `own`: of the account. */
type Given = { settings?: Record<string, string>; own?: Record<string, string> }

async function startParts({ settings = {}, own = {} }: Given) {
  let aheadMs = 0
  const wallet = await startIdramServer(() => new Date(Date.now() + aheadMs))
  const account = {
    DRIVER: 'idram',
    REC_ACCOUNT: ACCOUNT.account,
    SECRET_KEY: ACCOUNT.secret,
    ADDRESS: wallet.address,
  }
  const all = { ...settings, ...routeSettings('ROUTE_A', { ...account, ...own }) }
  const kassa = await startKassa({ settings: all })
  const shop = await openShop(kassa.ctx)
  const { id: accountId } = kassa.ctx.routes.route_a
  const returnUrl = `${kassa.url}/returns/${accountId}`
  const resultUrl = `${kassa.url}/callbacks/${accountId}`
  Object.assign(wallet.setup, { resultUrl, successUrl: returnUrl, failUrl: returnUrl })
  const advance = (ms: number) => {
    aheadMs += ms
    kassa.clock.advance(ms)
  }
  return { kassa, shop, wallet, accountId, advance, settings: all }
}

export async function setIdramScene(given: Given = {}) {
  const parts = await startParts(given)
  const { kassa, shop, wallet, advance, accountId } = parts
  const scene = ++scenes
  let orders = 0
  const stored = async (id: string) => {
    const payment = await findPayment(kassa.ctx.db, shop.merchantId, id)
    if (!payment) throw new Error(`there is no payment ${id}`)
    return payment
  }
  return {
    ...parts,
    stored,
    /** From now on Idram calls the process at this address. */
    callAt(url: string) {
      wallet.setup.resultUrl = `${url}/callbacks/${accountId}`
    },
    /** A payment whose buyer has posted the form, unless `isPosted` is false. */
    async open(changes: object = {}, { key = `idram-${scene}-${++orders}`, isPosted = true } = {}) {
      const body = sessionRequest({ merchantOrderId: key, currency: 'AMD', amountMinor: 190_000, ...changes })
      const created = await createSession(kassa.url, shop, { key, body })
      if (created.status > 201)
        throw new Error(`the answer is ${created.status}: ${JSON.stringify(created.body)}`)
      const { id, checkoutUrl } = created.body as { id: string; checkoutUrl: string }
      const { attempt } = await stored(id)
      if (isPosted && attempt.form)
        await fetch(attempt.form.action, { method: 'POST', body: new URLSearchParams(attempt.form.fields) })
      return { id, key, url: checkoutUrl, bill: attempt.reference }
    },
    statusOf: async (id: string) => (await stored(id)).status,
    takenOf: async (id: string) =>
      (await listEntries(kassa.ctx.db, await stored(id))).filter(({ kind }) => kind === 'taken'),
    warningsOf: async (id: string) =>
      (await listPaymentWarnings(kassa.ctx.db, shop.merchantId, id)).map(({ detail }) => detail).join('\n'),
    async later(ms: number): Promise<void> {
      advance(ms)
      await SWEEPS.statusSync(kassa.ctx)
    },
    async close() {
      await kassa.close()
      await wallet.close()
    },
  }
}
