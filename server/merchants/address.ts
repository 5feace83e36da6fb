/**
 * Short addresses of products that were approved by an earlier version. They lead on, because posters stay on walls. New ones are
 * not given out, and no name ever goes to another merchant.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import type { Page, PageRequest } from '../storage/looked.ts'
import {
  findShortAddressOf,
  findShortAddressTarget,
  forgetShortAddress,
  listShortAddresses,
  listShortAddressesOf,
  retireShortAddress,
  type ShortAddressRecord,
} from '../storage/merchants/short-addresses.ts'
import { cached } from './cache.ts'
import { fold, pairsOf } from './look-alikes.ts'
import { getMerchant } from './merchant.ts'

export type { ShortAddressRecord } from '../storage/merchants/short-addresses.ts'

type ShortAddress = { merchantId: string; name: string }

/**
 * Ends an address. A name that was approved stays with its merchant and leads nowhere. A name that was never approved is deleted,
 * and null is returned. @throws AppError validation_failed, not_found
 */
export async function retireAddress(
  ctx: Context,
  { merchantId, name }: ShortAddress,
): Promise<ShortAddressRecord | null> {
  await getMerchant(ctx, merchantId)
  const folded = keyOfTyped(name)
  if (folded !== null && (await forgetShortAddress(ctx.db, folded, merchantId))) return null
  const retired = folded && (await retireShortAddress(ctx.db, folded, merchantId, ctx.clock.now()))
  if (retired) return retired
  throw new AppError('validation_failed', {
    message: `The merchant has no short address "${name}". List them with their merchant, and copy the name from there.`,
  })
}

/** `merchantId`: undefined for all merchants. @throws AppError not_found */
export async function listAddresses(ctx: Context, merchantId?: string): Promise<ShortAddressRecord[]> {
  if (merchantId !== undefined) await getMerchant(ctx, merchantId)
  return listShortAddresses(ctx.db, merchantId ?? null)
}

/** Returns a page of the names of a product at one place, whatever their states. */
export async function listAddressesOfProduct(
  { db }: Context,
  wish: PageRequest & { merchantId: string; productId: string; installationId: string },
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

/** Returns the address in the shape that commands print. */
export const presentAddress = (ctx: Context, { folded: _, ...record }: ShortAddressRecord) => ({
  ...record,
  url: addressUrl(ctx, record.name),
})

/** `https://pay.example/p/tea`, in the sandbox `/p/test/tea`. The name is not encoded, because people read and type it. */
export function addressUrl({ baseUrl, world }: Pick<Context, 'baseUrl' | 'world'>, name: string): string {
  return `${baseUrl}/p/${world === 'sandbox' ? 'test/' : ''}${name}`
}

/** Typed text may have blanks, dots and dashes that a name does not have. A longer text is not looked up. */
const TYPED_MAX_CHARS = 60

/** Letters that look like a Latin one on a sign, beyond those that people mix up when they type. */
const ON_A_SIGN: Record<string, string> = {
  ...pairsOf('пгизшьбч', 'nru3wb64'),
  ...pairsOf('առրգւիտ', 'wnnq1hs'),
}

/** Returns the key under which a name is stored: equal for names that look alike. */
function foldName(text: string): string {
  return [...fold(text)]
    .map((letter) => ON_A_SIGN[letter] ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/**
 * Returns the key of what somebody has typed. Returns null if it cannot be a name. Buyers type a name from a poster, on any keyboard and in
 * any case, so names that look alike have the same key.
 */
export function keyOfTyped(text: string): string | null {
  if (text.length > TYPED_MAX_CHARS) return null
  return foldName(text) || null
}
