/**
 * Short addresses of products, to type from a poster. A merchant asks for a name, and an operator approves it.
 * Rule: a name that was ever approved is never given to another merchant, because posters stay on walls.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { inTransaction } from '../storage/db.ts'
import type { Page, PageWish } from '../storage/looked.ts'
import { lockMerchant } from '../storage/merchants/merchants.ts'
import {
  approveShortAddress,
  askShortAddress,
  countWaitingShortAddresses,
  findShortAddressOf,
  findShortAddressTarget,
  forgetShortAddress,
  listShortAddresses,
  listShortAddressesOf,
  listWaitingShortAddresses,
  retireShortAddress,
  type ShortAddressRecord,
} from '../storage/merchants/short-addresses.ts'
import { keyOfTyped, parseAddressName } from './address-name.ts'
import { cached } from './cache.ts'
import { getInstallation } from './installation.ts'
import { getMerchant } from './merchant.ts'
import { findProductCached } from './product.ts'

export type { ShortAddressRecord } from '../storage/merchants/short-addresses.ts'

/** How many names of a merchant wait at most. Nobody else can have a name that waits, and somebody must read each of them. */
export const WAITING_MAX = 20

/**
 * Stores the wish for a name. For the merchant's own name it changes where the name leads.
 * @throws AppError validation_failed for an invalid name, one that another merchant has, too many names that wait, and a
 *   revoked key; product_unknown; not_found
 */
export async function askAddress(
  ctx: Context,
  { name: text, installationId, productId }: { name: string; installationId: string; productId: string },
): Promise<ShortAddressRecord> {
  const { name, folded } = parseAddressName(text)
  const { id, merchantId, revokedAt } = await getInstallation(ctx, installationId)
  if (revokedAt)
    throw new AppError('validation_failed', {
      message: 'The installation is revoked, so its pay links lead nowhere. Give another one.',
      next: [{ act: 'list_installations' }],
    })
  if (!(await findProductCached(ctx, merchantId, productId)))
    throw new AppError('product_unknown', {
      message: `The merchant has no product "${productId}".`,
      next: [{ act: 'list_products', merchantId }],
    })
  const wish = { folded, name, merchantId, installationId: id, productId }
  const record = await inTransaction(ctx.db, async (tx) => {
    // Without the lock two wishes at once could both be the last one.
    await lockMerchant(tx, merchantId)
    const stored = await askShortAddress(tx, wish, ctx.clock.now())
    const isNew = stored?.state === 'asked'
    if (isNew && (await countWaitingShortAddresses(tx, merchantId, folded)) >= WAITING_MAX) throw tooMany()
    return stored
  })
  if (record) return record
  throw new AppError('validation_failed', {
    reason: 'address_taken',
    message: `The name "${name}" is not free: another merchant has it, or has one that looks like it. Choose another name.`,
  })
}

function tooMany(): AppError {
  return new AppError('validation_failed', {
    reason: 'addresses_wait',
    message: `${WAITING_MAX} names of the merchant wait for an approval. Ask for another one when some are approved or refused.`,
  })
}

type Named = { merchantId: string; name: string }

/** From now on the name leads to its product. Approving it again changes nothing. @throws AppError */
export async function approveAddress(ctx: Context, { merchantId, name }: Named): Promise<ShortAddressRecord> {
  const { folded } = parseAddressName(name)
  await getMerchant(ctx, merchantId)
  return (await approveShortAddress(ctx.db, folded, merchantId, ctx.clock.now())) ?? unknown(name)
}

/**
 * Ends an address. A name that was approved stays with its merchant and leads nowhere. A name that was only asked for becomes
 * free, and null is returned. @throws AppError
 */
export async function retireAddress(
  ctx: Context,
  { merchantId, name }: Named,
): Promise<ShortAddressRecord | null> {
  const { folded } = parseAddressName(name)
  await getMerchant(ctx, merchantId)
  if (await forgetShortAddress(ctx.db, folded, merchantId)) return null
  return (await retireShortAddress(ctx.db, folded, merchantId, ctx.clock.now())) ?? unknown(name)
}

/** `merchantId`: undefined for all merchants. @throws AppError not_found */
export async function listAddresses(ctx: Context, merchantId?: string): Promise<ShortAddressRecord[]> {
  if (merchantId !== undefined) await getMerchant(ctx, merchantId)
  return listShortAddresses(ctx.db, merchantId ?? null)
}

/** Returns a page of the names that wait for an approval. `merchantId`: null for all merchants. */
export async function listWaitingAddresses(
  { db }: Context,
  wish: PageWish & { merchantId: string | null },
): Promise<Page<ShortAddressRecord>> {
  return listWaitingShortAddresses(db, wish)
}

/** Returns a page of the names of a product at one place, whatever their states. */
export async function listAddressesOfProduct(
  { db }: Context,
  wish: PageWish & { merchantId: string; productId: string; installationId: string },
): Promise<Page<ShortAddressRecord>> {
  return listShortAddressesOf(db, wish)
}

const findTarget = cached((ctx: Context, folded: string) => findShortAddressTarget(ctx.db, folded))

/** Returns where a typed name leads, up to a second old. Returns null for an unknown, a retired and a waiting name alike. */
export async function findAddressTarget(
  ctx: Context,
  typed: string,
): Promise<{ publicKey: string; productId: string } | null> {
  const folded = keyOfTyped(typed)
  return folded === null ? null : findTarget(ctx, folded)
}

const findNameOf = cached((ctx: Context, merchantId: string, installationId: string, productId: string) =>
  findShortAddressOf(ctx.db, { merchantId, installationId, productId }),
)

/** Returns the approved short address of a product, up to a second old; null if it has none. */
export async function findAddressUrl(
  ctx: Context,
  of: { merchantId: string; installationId: string; productId: string },
): Promise<string | null> {
  const name = await findNameOf(ctx, of.merchantId, of.installationId, of.productId)
  return name === null ? null : addressUrl(ctx, name)
}

/** `https://pay.example/p/tea`, in the sandbox `/p/test/tea`. The name is not encoded, because people read and type it. */
export function addressUrl({ baseUrl, world }: Pick<Context, 'baseUrl' | 'world'>, name: string): string {
  return `${baseUrl}/p/${world === 'sandbox' ? 'test/' : ''}${name}`
}

function unknown(name: string): never {
  throw new AppError('validation_failed', { message: `The merchant has not asked for the name "${name}".` })
}
