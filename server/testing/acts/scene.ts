/** What the examples of the table of acts are about: a shop of their own. */

import { setAccount } from '../../accounts/set.ts'
import type { Scene } from '../../acts/scene.ts'
import { issueToken } from '../../merchants/api-key.ts'
import { createInstallation } from '../../merchants/installation.ts'
import { addOrigin, approveOrigin } from '../../merchants/origin.ts'
import { setMerchantState } from '../../merchants/state.ts'
import { actOnMoney } from '../../operator/acts/money.ts'
import { confirmPayment } from '../../payments/decisions/payment.ts'
import { rotateWebhookSecret } from '../../receivers/secret.ts'
import { createSession, payAtBank, sessionRequest } from '../calls.ts'
import { type Kassa, openShop } from '../harness.ts'
import { openToken } from '../payments/subscriptions.ts'

export async function openScene({ ctx, url }: Kassa): Promise<Scene> {
  const shop = await openShop(ctx)
  const { merchantId } = shop
  let orders = 0
  const pay = async (provider: string) => {
    const key = `scene-${++orders}`
    const body = sessionRequest({ merchantOrderId: key, amountMinor: 1_900, currency: 'USD', provider })
    const { body: session } = await createSession(url, shop, { key, body })
    if (provider !== 'manual') await payAtBank(session.providerCheckoutUrl, 'paid')
    return session.id
  }
  return {
    merchantId,
    limits: [{ USD: 10_000 }, { USD: 50_000 }],
    rotateSecret: () => rotateWebhookSecret(ctx, merchantId, '7d'),
    paid: () => pay('route_a'),
    held: () => pay('route_b'),
    async byHand({ isPaid } = { isPaid: false }) {
      const id = await pay('manual')
      if (isPaid) await confirmPayment(ctx, id, { actor: 'Ani', reference: `IN ${id}` })
      return id
    },
    async undecided() {
      const given = { paymentId: await pay('route_a'), amountMinor: 500, why: 'a crack' }
      const { operation } = await actOnMoney(ctx, 'refund', given, 'Ani')
      return leaveUndecided(ctx, operation.id)
    },
    savedMethod: () => openToken(url, shop),
    async account() {
      const written = { CUSTOMER: merchantId.replaceAll('_', '-'), SECRET: 'a secret of nobody' }
      return (
        await setAccount(ctx, {
          merchantId,
          route: 'route_a',
          driver: 'sandbox',
          currencies: undefined,
          written,
        })
      ).accountId
    },
    stop: () => setMerchantState(ctx, merchantId, { state: 'paused' }),
    async origin() {
      const origin = 'https://office.example'
      await addOrigin(ctx, merchantId, origin)
      await approveOrigin(ctx, merchantId, origin)
      return origin
    },
    installation: async (origins = ['https://one.example', 'https://two.example']) =>
      (await createInstallation(ctx, { merchantId, origins })).id,
    token: (limits) => issueToken(ctx, { merchantId, ...limits }),
  }
}

/** What a lost answer of the bank leaves. */
async function leaveUndecided({ db }: Kassa['ctx'], id: string): Promise<string> {
  await db.query(
    `update sandbox.operations set status = 'processing', snapshot_before = '{}', sent_at = now() where id = $1`,
    [id],
  )
  await db.query(
    `update sandbox.operations set status = 'requires_operator_review', due_at = null where id = $1`,
    [id],
  )
  return id
}
