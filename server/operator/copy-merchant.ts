/**
 * Copies a merchant's set-up from the sandbox to the live world: the products, the installations with new public keys, and the
 * routes between which buyers choose. The callback URL, its secret and the API keys are not copied. They are set and issued in
 * the live world.
 * Rule: a copy only adds. A price or setting that the live world has, and a product that was removed from sale there, stay as they are.
 */
import type { Context, Worlds } from '../context.ts'
import { AppError } from '../errors.ts'
import {
  type InstallationInput,
  type InstallationRecord,
  listInstallations,
  prepareInstallation,
} from '../merchants/installation.ts'
import { getMerchant } from '../merchants/merchant.ts'
import { expectOnboarded } from '../merchants/onboarding.ts'
import { checkProduct, isSameProduct, listProducts, type ProductRecord } from '../merchants/product.ts'
import { getMerchantRoutes } from '../merchants/routes.ts'
import { notifyOwner } from '../notices/notify.ts'
import { addWebhookSecret, hasReceiverSecret } from '../receivers/secret.ts'
import { listLimits } from '../storage/audit/proposals.ts'
import { inTransaction, type Tx } from '../storage/db.ts'
import {
  insertInstallation,
  listInstallations as listInstallationRecords,
} from '../storage/merchants/installations.ts'
import { insertMerchantRoutes } from '../storage/merchants/merchant-routes.ts'
import { lockMerchant } from '../storage/merchants/merchants.ts'
import { findProduct, insertProduct } from '../storage/merchants/products.ts'
import { type ShownRoute, withReadiness } from './merchant-routes.ts'

export type CopiedInstallation = {
  installationId: string
  publicKey: string
  origins: string[]
  sandboxKey: string
}

export type Copied = {
  /** How many products were added in the live world. */
  products: number
  /** The ids of the products that the live world has with other values, or has removed from sale. They were left as they are. */
  kept: string[]
  installations: CopiedInstallation[]
  /** The routes that were copied. Buyers see a route once an account in the live world is ready for the merchant. */
  routes: ShownRoute[]
  /** The secret that signs live events, shown once. Null if the live world already has one, or has a limit. */
  webhookSecret: string | null
}

/** What the sandbox has. `made`, `routes`: what each installation and route would be in the live world. */
type SandboxMerchant = {
  products: ProductRecord[]
  made: { record: InstallationRecord; sandboxKey: string }[]
  routes: ShownRoute[]
}

/**
 * Copying again copies only what is new. An installation whose origins the live world already serves is not copied. Routes are not
 * copied if the merchant has some in the live world. Everything is copied in one transaction under the merchant's lock, so of two
 * copies at once the second one finds nothing left to do.
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
  const source = await readSource(sandbox, live, merchantId)
  const { hasRoutes, ...copied } = await inTransaction(live.db, async (tx) => {
    await lockMerchant(tx, merchantId)
    const now = live.clock.now()
    const products = await copyProducts(tx, source, now)
    const hasRoutes = await copyRoutes(tx, source, merchantId, now)
    if (products.products > 0) await notifyOwner(live, tx, merchantId, 'product')
    if (hasRoutes) await notifyOwner(live, tx, merchantId, 'routes')
    return {
      ...products,
      hasRoutes,
      installations: await copyInstallations(tx, source, merchantId),
      webhookSecret: await makeFirstSecret(live, tx, merchantId),
    }
  })
  // Nothing is asked of the database any more: if that failed, nobody would ever read the secret.
  return { ...copied, routes: hasRoutes ? source.routes : [] }
}

/** Reads and checks before the transaction, so that it needs no second connection. */
async function readSource(sandbox: Context, live: Context, merchantId: string): Promise<SandboxMerchant> {
  const [products, installations, known, routes] = await Promise.all([
    listProducts(sandbox, merchantId),
    listInstallations(sandbox, merchantId),
    listInstallations(live, merchantId),
    getMerchantRoutes(sandbox, merchantId),
  ])
  for (const product of products) checkProduct(product)
  const isServed = servedBy(known)
  const made: SandboxMerchant['made'] = []
  for (const each of installations) {
    if (each.revokedAt || isServed(each)) continue
    made.push({ record: await prepareInstallation(live, wishOf(each)), sandboxKey: each.publicKey })
  }
  return { products, made, routes: await withReadiness(live, merchantId, routes) }
}

function wishOf(installation: InstallationRecord): InstallationInput {
  const { merchantId, origins, returnUrl, shopUrl, provider, skipsCheckout } = installation
  return {
    merchantId,
    origins,
    skipsCheckout,
    returnUrl: returnUrl ?? undefined,
    shopUrl: shopUrl ?? undefined,
    ...(origins.length === 0 && { page: shopUrl ?? undefined }),
    provider: provider ?? undefined,
  }
}

async function copyProducts(tx: Tx, { products }: SandboxMerchant, now: Date) {
  const kept: string[] = []
  let count = 0
  for (const product of products) {
    if (await insertProduct(tx, product, now)) {
      count++
      continue
    }
    const known = await findProduct(tx, product.merchantId, product.id)
    if (!known || !isSameProduct(known, product)) kept.push(product.id)
  }
  return { products: count, kept }
}

async function copyInstallations(
  tx: Tx,
  { made }: SandboxMerchant,
  merchantId: string,
): Promise<CopiedInstallation[]> {
  const isServed = servedBy(await listInstallationRecords(tx, merchantId))
  const copied: CopiedInstallation[] = []
  for (const { record, sandboxKey } of made) {
    if (isServed(record)) continue
    await insertInstallation(tx, record)
    const { id, publicKey, origins } = record
    copied.push({ installationId: id, publicKey, origins, sandboxKey })
  }
  return copied
}

/** Returns false if there is none to copy, or the live world has some. */
async function copyRoutes(
  tx: Tx,
  { routes }: SandboxMerchant,
  merchantId: string,
  now: Date,
): Promise<boolean> {
  const stored = routes.map(({ ready: _ready, ...route }) => route)
  return stored.length > 0 && (await insertMerchantRoutes(tx, merchantId, stored, now))
}

type Place = Pick<InstallationRecord, 'origins' | 'shopUrl'>

/** Returns whether these installations have all origins of another one, or the public page of one without origins. */
function servedBy(installations: readonly InstallationRecord[]): (place: Place) => boolean {
  const known = installations.filter(({ revokedAt }) => !revokedAt)
  const served = new Set(known.flatMap(({ origins }) => origins))
  const pages = new Set(known.filter(({ origins }) => origins.length === 0).map(({ shopUrl }) => shopUrl))
  return ({ origins, shopUrl }) =>
    origins.length === 0 ? pages.has(shopUrl) : origins.every((origin) => served.has(origin))
}

/** While the live world has a limit, nobody sees a secret alone: the first callback makes it, with a second person. */
async function makeFirstSecret(live: Context, tx: Tx, merchantId: string): Promise<string | null> {
  if ((await listLimits(tx)).length > 0) return null
  if (await hasReceiverSecret(live, merchantId, tx)) return null
  return addWebhookSecret(live, tx, merchantId)
}
