/** What the examples of the table of acts are about: a shop of their own. */
import type { Scene } from '../../acts/scene.ts'
import { issueToken } from '../../merchants/api-key.ts'
import { createInstallation } from '../../merchants/installation.ts'
import { addOrigin, approveOrigin } from '../../merchants/origin.ts'
import { setMerchantState } from '../../merchants/state.ts'
import { rotateWebhookSecret } from '../../receivers/secret.ts'
import { type Kassa, openShop } from '../harness.ts'

export async function openScene({ ctx }: Kassa): Promise<Scene> {
  const { merchantId } = await openShop(ctx)
  return {
    merchantId,
    limits: [{ USD: 10_000 }, { USD: 50_000 }],
    rotateSecret: () => rotateWebhookSecret(ctx, merchantId, '7d'),
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
