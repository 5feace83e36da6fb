/** What the examples of the table of acts are about: a shop of their own. */
import type { Scene } from '../../acts/scene.ts'
import { issueToken } from '../../merchants/api-key.ts'
import { type Kassa, openShop } from '../harness.ts'

export async function openScene({ ctx }: Kassa): Promise<Scene> {
  const { merchantId } = await openShop(ctx)
  return {
    merchantId,
    limits: [{ USD: 10_000 }, { USD: 50_000 }],
    token: (limits) => issueToken(ctx, { merchantId, ...limits }),
  }
}
