/** A deployment that serves both worlds, with a merchant that has a shop in each. */
import { allowAccount } from '../../accounts/manage.ts'
import type { Config } from '../../config.ts'
import type { Context } from '../../context.ts'
import { approveOrigin } from '../../merchants/origin.ts'
import { upsertEvidence } from '../../storage/merchants/onboarding.ts'
import { type Kassa, openShop, SECRETS_KEY, SHOP_ORIGIN, type Shop, startKassa } from '../harness.ts'
import { closeAfter } from '../scene.ts'

export type TwoWorlds = { kassa: Kassa; sandboxShop: Shop; liveShop: Shop }

/** What every live deployment has to set, besides its provider. */
export const LIVE_SETTINGS = { MODE: 'live', BASE_URL: 'https://pay.example', TRUST_PROXY: '1', SECRETS_KEY }

/** Starts a Kassa with both worlds. By default live payments use the manual route, which needs no provider. */
export function startLive(settings: Record<string, string> = {}, permitted: Partial<Config> = {}) {
  return startKassa({
    settings: { ...LIVE_SETTINGS, DEFAULT_PROVIDER: 'manual', ...settings },
    // The receivers of a test run on this machine.
    permitted: { callbackAllow: ['loopback'], ...permitted },
  })
}

/** The same, and it closes after the tests of the file, or after the test that opens it. */
export const openLive = async (...given: Parameters<typeof startLive>): Promise<Kassa> =>
  closeAfter(await startLive(...given))

/** Starts a Kassa with both worlds, and a merchant that has a shop in each. */
export async function openTwoWorlds(settings: Record<string, string> = {}): Promise<TwoWorlds> {
  const kassa = await openLive(settings)
  const sandboxShop = await openShop(kassa.ctx)
  const liveShop = await openShop(kassa.live, { onboard: (merchantId) => onboard(kassa, merchantId) })
  await allowManual(kassa, liveShop.merchantId)
  return { kassa, sandboxShop, liveShop }
}

/** Lets the merchant use the deployment's live account of the manual route. */
export async function allowManual({ live }: Kassa, merchantId: string): Promise<void> {
  await allowAccount(live, { accountId: live.routes.manual.id, merchantId, allowed: true })
}

/** Stores every onboarding step of a merchant as completed. `ctx`: the sandbox's. */
export async function onboard({ ctx }: { ctx: Context }, merchantId: string): Promise<void> {
  await approveOrigin(ctx, merchantId, SHOP_ORIGIN)
  for (const step of ['callback_verified', 'test_payment'] as const)
    await upsertEvidence(ctx.db, merchantId, {
      step,
      evidence: 'seen by a test',
      recordedAt: ctx.clock.now(),
    })
}
