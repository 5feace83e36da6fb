/**
 * Copies a merchant's set-up from the sandbox to the live world: the products, the installations with new public keys, and the
 * routes between which buyers choose. The callback URL, its secret and the API keys are not copied. They are set and issued in
 * the live world.
 */
import type { Context, Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import { createInstallation, listInstallations } from '../merchants/installation.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { expectOnboarded } from '../merchants/onboarding.ts'
import { listProducts, setProduct } from '../merchants/product.ts'
import { getMerchantRoutes, setMerchantRoutes } from '../merchants/routes.ts'
import { addWebhookSecret, hasReceiverSecret } from '../receivers/secret.ts'
import { inTransaction } from '../storage/db.ts'
import { listMerchantRoutes, type ShownRoute } from './merchant-routes.ts'

export type CopiedInstallation = {
  installationId: string
  publicKey: string
  origins: string[]
  sandboxKey: string
}

export type Copied = {
  /** How many products were added or changed in the live world. */
  products: number
  installations: CopiedInstallation[]
  /** The routes that were copied. Buyers see a route once an account in the live world is ready for the merchant. */
  routes: ShownRoute[]
  /** The secret that signs live events, shown once. Null if the live world already has one. */
  webhookSecret: string | null
}

/**
 * Copying again copies only what is new or changed. An installation whose origins the live world already serves is not copied.
 * Routes are not copied if the merchant has some in the live world.
 * @throws AppError not_found; validation_failed before the onboarding is complete, or if no live world is served
 */
export async function copyMerchantToLive(worlds: Worlds, merchantId: string): Promise<Copied> {
  const { sandbox, live } = worlds
  if (!live)
    throw new AppError('validation_failed', {
      message: 'This deployment serves only the sandbox. There is no live world.',
    })
  await getMerchant(sandbox, merchantId)
  await expectOnboarded(live, merchantId)
  return {
    products: await copyProducts(sandbox, live, merchantId),
    installations: await copyInstallations(sandbox, live, merchantId),
    routes: await copyRoutes(sandbox, live, merchantId),
    webhookSecret: await makeFirstSecret(live, merchantId),
  }
}

async function copyProducts(from: Context, to: Context, merchantId: string): Promise<number> {
  const known = new Map(
    (await listProducts(to, merchantId)).map((product) => [product.id, JSON.stringify(product)]),
  )
  let count = 0
  for (const product of await listProducts(from, merchantId)) {
    if (known.get(product.id) === JSON.stringify(product)) continue
    await setProduct(to, product)
    count++
  }
  return count
}

async function copyInstallations(
  from: Context,
  to: Context,
  merchantId: string,
): Promise<CopiedInstallation[]> {
  const known = (await listInstallations(to, merchantId)).filter(({ revokedAt }) => !revokedAt)
  const served = new Set(known.flatMap(({ origins }) => origins))
  const pages = new Set(known.filter(({ origins }) => origins.length === 0).map(({ shopUrl }) => shopUrl))
  const copied: CopiedInstallation[] = []
  for (const installation of await listInstallations(from, merchantId)) {
    const { origins, returnUrl, shopUrl, provider, skipsCheckout, revokedAt, publicKey } = installation
    const isPage = origins.length === 0
    if (revokedAt || (isPage ? pages.has(shopUrl) : origins.every((origin) => served.has(origin)))) continue
    const made = await createInstallation(to, {
      merchantId,
      origins,
      returnUrl: returnUrl ?? undefined,
      shopUrl: shopUrl ?? undefined,
      ...(isPage && { page: shopUrl ?? undefined }),
      provider: provider ?? undefined,
      skipsCheckout,
    })
    copied.push({ installationId: made.id, publicKey: made.publicKey, origins, sandboxKey: publicKey })
  }
  return copied
}

async function copyRoutes(from: Context, to: Context, merchantId: string): Promise<ShownRoute[]> {
  const routes = await getMerchantRoutes(from, merchantId)
  if (routes.length === 0 || (await getMerchantRoutes(to, merchantId)).length > 0) return []
  await setMerchantRoutes(to, merchantId, routes)
  return listMerchantRoutes(to, merchantId)
}

async function makeFirstSecret(live: Context, merchantId: string): Promise<string | null> {
  if (await hasReceiverSecret(live, merchantId)) return null
  return inTransaction(live.db, (tx) => addWebhookSecret(live, tx, merchantId))
}
