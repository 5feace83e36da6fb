/**
 * Creates the demo merchant, so that a newcomer sees a complete shop. The demo shop is a merchant like any other: it has a token
 * and a callback secret, and it calls Kassa over HTTP.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { authenticate, issueToken } from '../merchants/api-key.ts'
import { getBranding, setBranding } from '../merchants/branding.ts'
import { createInstallation, getInstallation } from '../merchants/installation.ts'
import { setProduct } from '../merchants/product.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { setCallback } from '../receivers/receiver.ts'
import { openWebhookSecrets } from '../receivers/secret.ts'
import { inTransaction } from '../storage/db.ts'
import { updateInstallation } from '../storage/merchants/installations.ts'
import { findMerchant, listMerchants, lockDemo } from '../storage/merchants/merchants.ts'
import { demoBranding, demoDisplay, demoSite } from './brand.ts'

export const DEMO_PRODUCT = {
  id: 'tea',
  name: 'Mountain thyme tea',
  amountMinor: 190_000,
  currency: 'AMD',
} as const

const HEALTH_TIMEOUT_MS = 1_000

const DemoCredentials = z.object({
  merchantId: z.string(),
  installationId: z.string(),
  token: z.string(),
  publicKey: z.string(),
  webhookSecret: z.string(),
})
export type DemoCredentials = z.infer<typeof DemoCredentials>

type Addresses = {
  /** The origins where a browser can open the demo shop. */
  origins: string[]
  returnUrl: string
  callbackUrl: string
}

/**
 * Creates the demo merchant if the database has no merchant, and finds it again on later starts. Its token and secret are
 * stored in a file in the data folder, only for the demo. Returns null if the database has other merchants and no demo, also when a
 * process that starts at the same time has just created it.
 */
export async function seedDemo(
  given: Context,
  dataDir: string,
  at: Addresses,
): Promise<DemoCredentials | null> {
  // The service itself makes these changes at each start, so operators need no log lines about them.
  const ctx = { ...given, log: given.log.child({}, { level: 'error' }) }
  const file = join(dataDir, 'demo.json')
  const known = await readCredentials(file)
  if (known && (await findMerchant(ctx.db, known.merchantId))) {
    await moveDemo(ctx, known, at)
    return storeCredentials(file, await renewDemo(ctx, known))
  }
  const made = await inTransaction(ctx.db, async (tx) => {
    await lockDemo(tx)
    return (await listMerchants(ctx.db)).length > 0 ? null : makeDemo(ctx, at)
  })
  return made && storeCredentials(file, made)
}

/**
 * Returns the address of another running service whose demo shop uses the same database. If this process took over the demo, it
 * would receive the other service's events.
 */
export async function findDemoElsewhere(
  ctx: Context,
  dataDir: string,
  callbackUrl: string,
): Promise<string | null> {
  const known = await readCredentials(join(dataDir, 'demo.json'))
  const merchant = known && (await findMerchant(ctx.db, known.merchantId))
  if (!merchant?.callbackUrl || merchant.callbackUrl === callbackUrl) return null
  const { origin } = new URL(merchant.callbackUrl)
  const health = await fetch(`${origin}/api/health`, { signal: AbortSignal.timeout(HEALTH_TIMEOUT_MS) })
    .then((answer) => answer.json())
    .catch(() => null)
  return (health as { service?: string } | null)?.service === 'kassa' ? origin : null
}

async function storeCredentials(file: string, demo: DemoCredentials): Promise<DemoCredentials> {
  await writeFile(`${file}.new`, JSON.stringify(demo, null, 2), { mode: 0o600 })
  await rename(`${file}.new`, file)
  return demo
}

async function readCredentials(file: string): Promise<DemoCredentials | null> {
  const text = await readFile(file, 'utf8').catch(() => null)
  return text === null ? null : DemoCredentials.parse(JSON.parse(text))
}

async function makeDemo(
  ctx: Context,
  { origins, returnUrl, callbackUrl }: Addresses,
): Promise<DemoCredentials> {
  const { merchantId, webhookSecret } = await createMerchant(ctx, { name: 'Urts tea, Yerevan', callbackUrl })
  await setBranding(ctx, merchantId, await demoBranding(ctx, returnUrl))
  await setProduct(ctx, {
    merchantId,
    ...DEMO_PRODUCT,
    display: await demoDisplay(ctx),
    provider: null,
  })
  const { id: installationId, publicKey } = await createInstallation(ctx, { merchantId, origins, returnUrl })
  const { token } = await issueToken(ctx, { merchantId })
  return { merchantId, installationId, token, publicKey, webhookSecret }
}

/** Updates the demo's addresses, because the service may use another port than at the last start. */
async function moveDemo(
  ctx: Context,
  { merchantId, installationId }: DemoCredentials,
  at: Addresses,
): Promise<void> {
  await setCallback(ctx, merchantId, at.callbackUrl)
  const { origins } = await getInstallation(ctx, installationId)
  const all = [...new Set([...origins, ...at.origins])]
  await moveSite(ctx, merchantId, at.returnUrl)
  await updateInstallation(ctx.db, { merchantId, id: installationId, origins: all, returnUrl: at.returnUrl })
}

/** Moves the demo's own site to the new address. A site that a person has entered is kept. */
async function moveSite(ctx: Context, merchantId: string, returnUrl: string): Promise<void> {
  const { site } = (await getBranding(ctx, merchantId)).branding
  const now = demoSite(returnUrl)
  if (site === undefined || site === now || new URL(site).pathname !== new URL(now).pathname) return
  await setBranding(ctx, merchantId, { site: now })
}

/** People try rotation and revocation on the demo. This gives the shop a working token and secret again. */
async function renewDemo(ctx: Context, demo: DemoCredentials): Promise<DemoCredentials> {
  const { merchantId } = demo
  const works = await authenticate(ctx, `Bearer ${demo.token}`, 'payments.read').catch(() => null)
  const { token } = works ? demo : await issueToken(ctx, { merchantId })
  // Secrets that were encrypted with another key cannot be read. Then the shop keeps its stored secret.
  const [webhookSecret = demo.webhookSecret] = await openWebhookSecrets(ctx, merchantId).catch(() => [])
  return { ...demo, token, webhookSecret }
}
