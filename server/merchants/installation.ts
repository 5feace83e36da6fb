/** Installations: a widget's public key, bound to exact origins and to a merchant. */
import { randomBytes } from 'node:crypto'
import type { Context } from '../context.ts'
import type { ProviderRoute } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
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
} from '../storage/merchants/installations.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { expectOnboarded } from './onboarding.ts'
import { parseOrigin } from './origin.ts'

export type { InstallationRecord } from '../storage/merchants/installations.ts'

const PUBLIC_KEY_BYTES = 18
const ORIGIN_LOGGED_CHARS = 200

/**
 * @throws AppError validation_failed for an origin that is not exact, a return URL outside the origins, or, in the live
 *   world, before the merchant's onboarding is complete.
 */
export async function createInstallation(
  ctx: Context,
  given: {
    merchantId: string
    origins: string[]
    returnUrl?: string | undefined
    provider?: ProviderRoute | undefined
  },
): Promise<InstallationRecord> {
  await getMerchant(ctx, given.merchantId)
  if (ctx.world === 'live') await expectOnboarded(ctx, given.merchantId)
  const origins = [...new Set(given.origins.map(parseOrigin))]
  if (origins.length === 0)
    throw new AppError('validation_failed', {
      message: 'An installation needs at least one origin: --origin https://shop.example',
    })
  const returnUrl =
    given.returnUrl === undefined ? null : resolveReturnUrl(given.returnUrl, { origins, base: undefined })
  const createdAt = ctx.clock.now()
  const record: InstallationRecord = {
    merchantId: given.merchantId,
    id: newId(ctx.world, 'ins', createdAt),
    publicKey: `kpk_${ctx.world}_${randomBytes(PUBLIC_KEY_BYTES).toString('base64url')}`,
    origins,
    returnUrl,
    provider: given.provider ?? null,
    createdAt,
    revokedAt: null,
  }
  await insertInstallation(ctx.db, record)
  return record
}

/** By its id or its public key. @throws AppError not_found */
export async function getInstallation(ctx: Context, id: string): Promise<InstallationRecord> {
  const find = id.startsWith('kpk_') ? findInstallationByPublicKey : findInstallation
  const record = await find(ctx.db, id)
  if (record) return record
  throw new AppError('not_found', {
    message: `There is no installation ${id}.`,
    hint: "A merchant's are listed by: npm run -s admin -- installation list --merchant ID",
  })
}

/** The merchant's installations, oldest first, the revoked ones too. */
export async function listInstallations(ctx: Context, merchantId: string): Promise<InstallationRecord[]> {
  await getMerchant(ctx, merchantId)
  return listInstallationRecords(ctx.db, merchantId)
}

/**
 * Lets pages on a further origin use the public key, within a second everywhere. Allowing it again changes nothing.
 * @throws AppError validation_failed for an origin that is not exact, or a revoked installation; not_found.
 */
export async function allowOrigin(ctx: Context, id: string, text: string): Promise<InstallationRecord> {
  const origin = parseOrigin(text)
  const installation = await getInstallation(ctx, id)
  if (await addInstallationOrigin(ctx.db, installation.id, origin)) return getInstallation(ctx, id)
  throw new AppError('validation_failed', {
    message:
      'The installation is revoked, and its public key is refused everywhere. Make a new one: installation create',
  })
}

/**
 * Pages on this origin may use the public key no longer, within a second everywhere.
 * @throws AppError validation_failed for an origin that it does not have, its last one, or the one buyers return to.
 */
export async function forbidOrigin(ctx: Context, id: string, origin: string): Promise<InstallationRecord> {
  const installation = await getInstallation(ctx, id)
  const { origins, returnUrl } = installation
  if (!origins.includes(origin))
    throw new AppError('validation_failed', {
      message: `"${origin}" is not one of the installation's origins: ${origins.join(', ')}.`,
    })
  if (returnUrl !== null && new URL(returnUrl).origin === origin)
    throw new AppError('validation_failed', {
      message: `Buyers come back to ${returnUrl}, so this origin stays. Make a new installation, and revoke this one.`,
    })
  if (!(await removeInstallationOrigin(ctx.db, installation.id, origin)))
    throw new AppError('validation_failed', {
      message: `It is the installation's last origin. To end its use: installation revoke --installation ${installation.id}`,
    })
  return getInstallation(ctx, id)
}

/** Ends the public key's use for good, within a second everywhere. Revoking again changes nothing. */
export async function revokeInstallation(ctx: Context, id: string): Promise<InstallationRecord> {
  const installation = await getInstallation(ctx, id)
  await revokeInstallationRecord(ctx.db, installation.id, ctx.clock.now())
  return getInstallation(ctx, id)
}

const findByPublicKey = cached((ctx: Context, publicKey: string) =>
  findInstallationByPublicKey(ctx.db, publicKey),
)

/** The installation of a public key that is in use, up to a second old; null for an unknown or revoked key. */
export async function findActiveInstallation(
  ctx: Context,
  publicKey: string,
): Promise<InstallationRecord | null> {
  const installation = await findByPublicKey(ctx, publicKey)
  return installation && !installation.revokedAt ? installation : null
}

/** Whether some active installation lists exactly this origin; up to a second old. */
export const isOriginKnown = cached((ctx: Context, origin: string) => isOriginInstalled(ctx.db, origin))

/**
 * Turns away a page that no installation of any world lists, before anything of its request is read.
 * @throws AppError origin_missing, origin_not_trusted
 */
export async function expectKnownOrigin(
  worlds: readonly Context[],
  origin: string | undefined,
): Promise<void> {
  if (origin === undefined) throw new AppError('origin_missing')
  const known = await Promise.all(worlds.map((ctx) => isOriginKnown(ctx, origin)))
  if (known.includes(true)) return
  worlds[0]?.log.warn(
    { origin: origin.slice(0, ORIGIN_LOGGED_CHARS) },
    'widget origin refused: no installation lists it',
  )
  throw new AppError('origin_not_trusted', {
    hint: 'No installation lists this exact origin (scheme, host and port). The operator adds it: npm run -s admin -- installation allow',
  })
}

/**
 * The installation that a page on `origin` may use.
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
    ctx.log.warn({ origin, installationId: installation.id }, 'widget origin refused')
    throw new AppError('origin_not_trusted', { hint: doctorHint(installation.id, origin) })
  }
  return installation
}

function doctorHint(installationId: string, origin: string): string {
  // The origin is the caller's text: it is shown only where a shell would take it for plain letters.
  const shown = /^https?:\/\/[a-z0-9.:-]{1,200}$/.test(origin) ? origin : 'THE_ORIGIN'
  const command = `npm run -s admin -- installation doctor --installation ${installationId} --origin ${shown}`
  return `This page's origin is not one of the key's. The operator can see why: ${command}`
}

/**
 * Resolves a return URL, which must lie on one of the origins. Answers its re-serialised form, never the given text.
 * @throws AppError return_url_not_allowed
 */
export function resolveReturnUrl(
  given: string,
  { origins, base }: { origins: string[]; base: string | undefined },
): string {
  const url = URL.canParse(given, base) ? new URL(given, base) : null
  // A blob: address has the origin of the page that made it, so the scheme is checked by itself.
  const isWeb = url && /^https?:$/.test(url.protocol) && !url.username && !url.password
  if (isWeb && origins.includes(url.origin)) return url.href
  throw new AppError('return_url_not_allowed', {
    errors: { returnUrl: 'must lead to one of the origins of the widget installation' },
  })
}
