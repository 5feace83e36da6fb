/** Installations: the public key of a pay button, bound to a merchant and to exact origins. */

import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import { type ProviderRoute, STORED_URL_MAX_CHARS } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { newId, slotOf } from '../id.ts'
import { translate } from '../messages/translate.ts'
import {
  addInstallationOrigin,
  findInstallation,
  findInstallationByPublicKey,
  type InstallationRecord,
  insertInstallation,
  isOriginInstalled,
  listInstallations as listInstallationRecords,
  removeInstallationOrigin,
  revokeInstallation as revokeInstallationRecord,
  updateShopUrl,
} from '../storage/merchants/installations.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { expectOnboarded } from './onboarding.ts'
import { expectRemovable, expectReviewed, isLast, isPossibleOrigin, parseOrigin } from './origin.ts'
import { checkShopUrl, expectPageReviewed, pageOf } from './public-page.ts'

export type { InstallationRecord } from '../storage/merchants/installations.ts'

const PUBLIC_KEY_BYTES = 18
/** A caller chooses the text, so only a possible key is looked up and kept in the cache. PostgreSQL would reject NUL. */
const PUBLIC_KEY = /^kpk_[\w-]{1,116}$/
/** Room in a return URL for the ids of the payment and the order. */
const ADDED_CHARS = 150
const RETURN_URL_MAX_CHARS = STORED_URL_MAX_CHARS - ADDED_CHARS

/**
 * @throws AppError validation_failed for an origin that is not exact and, in the live world, for one that is not https or not
 *   reviewed, and before the merchant's onboarding is complete; return_url_not_allowed for a return URL on another origin
 */
export async function createInstallation(ctx: Context, wish: InstallationInput): Promise<InstallationRecord> {
  const record = await prepareInstallation(ctx, wish)
  await insertInstallation(ctx.db, record)
  return record
}

export type InstallationInput = {
  merchantId: string
  origins: string[]
  returnUrl?: string | undefined
  shopUrl?: string | undefined
  /** The public page of the shop, for an installation without origins. */
  page?: string | undefined
  provider?: ProviderRoute | undefined
  skipsCheckout?: boolean
}

/** Checks the wish. Nothing is stored yet. @throws AppError those of `createInstallation` */
export async function prepareInstallation(ctx: Context, given: InstallationInput) {
  await getMerchant(ctx, given.merchantId)
  if (ctx.world === 'live') await expectOnboarded(ctx, given.merchantId)
  const origins = [...new Set(given.origins.map(parseOrigin))]
  const page = origins.length === 0 ? pageOf(given) : null
  if (ctx.world === 'live')
    await (page === null
      ? expectReviewed(ctx, given.merchantId, origins)
      : expectPageReviewed(ctx, given.merchantId, page))
  const returnUrl =
    given.returnUrl === undefined ? null : resolveReturnUrl(given.returnUrl, { origins, base: undefined })
  const createdAt = ctx.clock.now()
  const record: InstallationRecord = {
    merchantId: given.merchantId,
    id: newId(ctx.world, 'ins', given.merchantId, createdAt),
    publicKey: `kpk_${ctx.world}_${slotOf(given.merchantId)}${randomBytes(PUBLIC_KEY_BYTES).toString('base64url')}`,
    origins,
    returnUrl,
    shopUrl: given.shopUrl === undefined ? page : checkShopUrl(given.shopUrl),
    provider: given.provider ?? null,
    skipsCheckout: given.skipsCheckout ?? false,
    createdAt,
    revokedAt: null,
  }
  return record
}

/** `id`: the installation's id or its public key. @throws AppError not_found */
export async function getInstallation(ctx: Context, id: string): Promise<InstallationRecord> {
  const find = id.startsWith('kpk_') ? findInstallationByPublicKey : findInstallation
  const record = await find(ctx.db, id)
  if (record) return record
  throw new AppError('not_found', {
    message: `There is no installation ${id}.`,
    next: [{ act: 'list_installations' }],
  })
}

/** Returns the merchant's installations, including revoked ones, oldest first. */
export async function listInstallations(ctx: Context, merchantId: string): Promise<InstallationRecord[]> {
  await getMerchant(ctx, merchantId)
  return listInstallationRecords(ctx.db, merchantId)
}

/**
 * Allows pages on one more origin to use the public key, within a second on every process. Repeating it changes nothing.
 * @throws AppError validation_failed for an origin that `createInstallation` rejects, or a revoked installation; not_found
 */
export async function allowOrigin(ctx: Context, id: string, text: string): Promise<InstallationRecord> {
  const origin = parseOrigin(text)
  const { id: installationId, merchantId, origins, returnUrl, provider } = await getInstallation(ctx, id)
  if (ctx.world === 'live') await expectReviewed(ctx, merchantId, [origin])
  if (await addInstallationOrigin(ctx.db, installationId, origin)) return getInstallation(ctx, id)
  const all = [...new Set([...origins, origin])]
  throw new AppError('validation_failed', {
    reason: 'key_revoked',
    message: 'The installation is revoked: its public key is rejected on every page.',
    next: [{ act: 'create_installation', merchantId, origins: all, returnUrl, provider }],
  })
}

/**
 * Stops pages on this origin from using the public key, within a second on every process.
 * @throws AppError validation_failed for an origin that is not allowed, the last origin, or the origin of the return URL
 */
export async function forbidOrigin(ctx: Context, id: string, origin: string): Promise<InstallationRecord> {
  const installation = await getInstallation(ctx, id)
  expectRemovable(installation, origin)
  if (!(await removeInstallationOrigin(ctx.db, installation.id, origin))) throw isLast(installation, origin)
  return getInstallation(ctx, id)
}

/**
 * Sets where *Back to the shop* leads, for new payments within a second. Null: the start page of the site with the button.
 * @throws AppError validation_failed, not_found
 */
export async function setShopUrl(
  ctx: Context,
  id: string,
  shopUrl: string | null,
): Promise<InstallationRecord> {
  const installation = await getInstallation(ctx, id)
  await updateShopUrl(ctx.db, installation.id, shopUrl === null ? null : checkShopUrl(shopUrl))
  return getInstallation(ctx, id)
}

/** Revokes the public key for good, within a second on every process. Repeating it changes nothing. */
export async function revokeInstallation(ctx: Context, id: string): Promise<InstallationRecord> {
  const installation = await getInstallation(ctx, id)
  await revokeInstallationRecord(ctx.db, installation.id, ctx.clock.now())
  return getInstallation(ctx, id)
}

const findKey = cached((ctx: Context, publicKey: string) => findInstallationByPublicKey(ctx.db, publicKey))

/** Returns the installation of a public key, also of a revoked one. Null for an unknown key. */
async function findByPublicKey(ctx: Context, publicKey: string): Promise<InstallationRecord | null> {
  return PUBLIC_KEY.test(publicKey) ? findKey(ctx, publicKey) : null
}

/** Returns the installation of a public key, up to a second old. Null for an unknown or revoked key. */
export async function findActiveInstallation(
  ctx: Context,
  publicKey: string,
): Promise<InstallationRecord | null> {
  const installation = await findByPublicKey(ctx, publicKey)
  return installation && !installation.revokedAt ? installation : null
}

const findOrigin = cached((ctx: Context, origin: string) => isOriginInstalled(ctx.db, origin))

/** Whether any active installation lists exactly this origin. The answer is up to a second old. */
export async function isOriginKnown(ctx: Context, origin: string): Promise<boolean> {
  return isPossibleOrigin(origin) && findOrigin(ctx, origin)
}

/**
 * Rejects a page whose origin no active installation of any world lists. If the page's key is revoked, the error says so: another
 * origin would not help. `ctx`: the world of the key.
 * @throws AppError origin_not_trusted, widget_key_invalid
 */
export async function expectKnownOrigin(
  worlds: readonly Context[],
  origin: string,
  { ctx, publicKey }: { ctx: Context; publicKey: string },
): Promise<void> {
  const known = await Promise.all(worlds.map((world) => isOriginKnown(world, origin)))
  if (known.includes(true)) return
  if ((await findByPublicKey(ctx, publicKey))?.revokedAt) throw new AppError('widget_key_invalid')
  throw new AppError('origin_not_trusted', {
    hint: translate('en', 'errors.origin.notRegistered'),
  })
}

/**
 * Returns the installation of a public key, for a page on `origin`.
 * @throws AppError origin_missing, widget_key_invalid, origin_not_trusted
 */
export async function authorizeInstallation(
  ctx: Context,
  publicKey: string,
  origin: string | undefined,
): Promise<InstallationRecord> {
  if (origin === undefined) throw new AppError('origin_missing')
  const installation = await findActiveInstallation(ctx, publicKey)
  if (!installation) throw new AppError('widget_key_invalid')
  if (!installation.origins.includes(origin)) {
    throw new AppError('origin_not_trusted', {
      hint: installPageHint(ctx, publicKey, origin),
      about: { installationId: installation.id },
    })
  }
  return installation
}

/** The address of the page where a site builder finds the snippets and the doctor for a public key. */
export function installPageUrl({ baseUrl }: Pick<Context, 'baseUrl'>, publicKey: string): string {
  return `${baseUrl}/install/${publicKey}`
}

function installPageHint(ctx: Context, publicKey: string, origin: string): string {
  // The caller writes the Origin header, so only a plain origin is put into the address.
  const isPlain = /^https?:\/\/[a-z0-9.:-]{1,200}$/.test(origin)
  const page = installPageUrl(ctx, publicKey) + (isPlain ? `?site=${encodeURIComponent(origin)}` : '')
  return `The widget key is not registered for this page's origin. Your install page explains why: ${page}`
}

/**
 * Resolves a return URL, which must be on one of the origins. Returns the parsed and re-serialised URL, never the given text.
 * @throws AppError return_url_not_allowed
 */
export function resolveReturnUrl(
  given: string,
  { origins, base }: { origins: string[]; base: string | undefined },
): string {
  const url = URL.canParse(given, base) ? new URL(given, base) : null
  // Check the scheme too, because a blob: URL has the origin of the page that made it.
  const isWeb = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  const isOnOrigin = isWeb && origins.includes(url.origin)
  if (isOnOrigin && url.href.length <= RETURN_URL_MAX_CHARS) return url.href
  throw new AppError('return_url_not_allowed', {
    errors: {
      returnUrl: isOnOrigin
        ? 'is too long once its characters are percent-encoded'
        : 'must be on one of the origins that are registered for the widget key',
    },
  })
}
