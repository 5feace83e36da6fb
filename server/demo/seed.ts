/**
 * The demo room: a merchant of ours, so that a newcomer sees a whole shop at work. It is a merchant like any other: it
 * holds a token and a callback secret, and talks to Kassa over HTTP.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { authenticate, issueToken } from '../merchants/api-key.ts'
import { createInstallation, getInstallation } from '../merchants/installation.ts'
import { setProduct } from '../merchants/product.ts'
import { createMerchant } from '../operator/create-merchant.ts'
import { setCallback } from '../receivers/receiver.ts'
import { listWebhookSecrets } from '../receivers/secret.ts'
import { updateInstallation } from '../storage/merchants/installations.ts'
import { findMerchant, listMerchants } from '../storage/merchants/merchants.ts'

export const DEMO_PRODUCT = {
  id: 'tea',
  name: 'Mountain thyme tea',
  amountMinor: 190_000,
  currency: 'AMD',
} as const

const ANSWERS_WITHIN_MS = 1_000

const DemoCredentials = z.object({
  merchantId: z.string(),
  installationId: z.string(),
  token: z.string(),
  publicKey: z.string(),
  webhookSecret: z.string(),
})
export type DemoCredentials = z.infer<typeof DemoCredentials>

type Addresses = {
  /** Where a browser may open the demo shop. */
  origins: string[]
  returnUrl: string
  callbackUrl: string
}

/**
 * Makes the demo merchant when the database holds no merchant at all; finds it again on later starts. What is shown
 * only once elsewhere is kept in a file beside the data, for the demo alone. Answers null where there is no demo.
 */
export async function seedDemo(
  ctx: Context,
  dataDir: string,
  at: Addresses,
): Promise<DemoCredentials | null> {
  const file = join(dataDir, 'demo.json')
  const known = await readCredentials(file)
  if (known && (await findMerchant(ctx.db, known.merchantId))) {
    await moveDemo(ctx, known, at)
    return keepCredentials(file, await renewDemo(ctx, known))
  }
  if ((await listMerchants(ctx.db)).length > 0) return null
  return keepCredentials(file, await makeDemo(ctx, at))
}

/** The address of another running service on this database that has the demo shop, and would lose its events to us. */
export async function findDemoElsewhere(
  ctx: Context,
  dataDir: string,
  callbackUrl: string,
): Promise<string | null> {
  const known = await readCredentials(join(dataDir, 'demo.json'))
  const merchant = known && (await findMerchant(ctx.db, known.merchantId))
  if (!merchant?.callbackUrl || merchant.callbackUrl === callbackUrl) return null
  const { origin } = new URL(merchant.callbackUrl)
  const health = await fetch(`${origin}/api/health`, { signal: AbortSignal.timeout(ANSWERS_WITHIN_MS) })
    .then((answer) => answer.json())
    .catch(() => null)
  return (health as { service?: string } | null)?.service === 'kassa' ? origin : null
}

async function keepCredentials(file: string, demo: DemoCredentials): Promise<DemoCredentials> {
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
  await setProduct(ctx, { merchantId, ...DEMO_PRODUCT, provider: null })
  const { id: installationId, publicKey } = await createInstallation(ctx, { merchantId, origins, returnUrl })
  const { token } = await issueToken(ctx, { merchantId })
  return { merchantId, installationId, token, publicKey, webhookSecret }
}

/** The service may have moved to another port since: the demo's addresses follow it. */
async function moveDemo(
  ctx: Context,
  { merchantId, installationId }: DemoCredentials,
  at: Addresses,
): Promise<void> {
  await setCallback(ctx, merchantId, at.callbackUrl)
  const { origins } = await getInstallation(ctx, installationId)
  const all = [...new Set([...origins, ...at.origins])]
  await updateInstallation(ctx.db, { merchantId, id: installationId, origins: all, returnUrl: at.returnUrl })
}

/** Whoever tries out rotation and revocation does so on the demo: at the next start the shop has what works. */
async function renewDemo(ctx: Context, demo: DemoCredentials): Promise<DemoCredentials> {
  const { merchantId } = demo
  const works = await authenticate(ctx, `Bearer ${demo.token}`, 'payments.read').catch(() => null)
  const { token } = works ? demo : await issueToken(ctx, { merchantId })
  // Sealed under another key, none can be opened; then the shop's own is as good as any.
  const [webhookSecret = demo.webhookSecret] = await listWebhookSecrets(ctx, merchantId).catch(() => [])
  return { ...demo, token, webhookSecret }
}
