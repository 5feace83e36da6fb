/**
 * The routes that a merchant offers to buyers. With several of them the buyer chooses on our page, unless the payment names a
 * route. Each world has its own setting, because each world has its own accounts.
 */
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { notifyOwner } from '../notices/notify.ts'
import { inTransaction } from '../storage/db.ts'
import {
  findMerchantRoutes as findRecords,
  type MerchantRoute,
  writeMerchantRoutes,
} from '../storage/merchants/merchant-routes.ts'
import { cached } from './cache.ts'
import { getMerchant } from './merchant.ts'
import { checkName } from './text.ts'

export type { MerchantRoute } from '../storage/merchants/merchant-routes.ts'

const LABEL_MAX_CHARS = 60

/**
 * Replaces the merchant's routes. An empty list removes the setting.
 * @throws AppError not_found; validation_failed for a label that is too long, and for two routes with the same label
 */
export async function setMerchantRoutes(
  ctx: Context,
  merchantId: string,
  routes: readonly MerchantRoute[],
): Promise<void> {
  await getMerchant(ctx, merchantId)
  for (const { label, labels } of routes)
    for (const text of [label, ...Object.values(labels ?? {})]) checkName('label', text, LABEL_MAX_CHARS)
  const alike = routes.find(
    ({ label }, index) => routes.findIndex((other) => other.label === label) !== index,
  )
  if (alike)
    throw new AppError('validation_failed', {
      reason: 'labels_alike',
      about: { label: alike.label },
      message: `Two routes have the label "${alike.label}", so buyers could not tell them apart. Give each its own.`,
    })
  await inTransaction(ctx.db, async (tx) => {
    await writeMerchantRoutes(tx, merchantId, routes, ctx.clock.now())
    await notifyOwner(ctx, tx, merchantId, 'routes')
  })
}

/** @throws AppError not_found */
export async function getMerchantRoutes(ctx: Context, merchantId: string): Promise<MerchantRoute[]> {
  await getMerchant(ctx, merchantId)
  return findRecords(ctx.db, merchantId)
}

/** Returns the merchant's routes, up to a second old. */
export const findMerchantRoutesCached = cached((ctx: Context, merchantId: string) =>
  findRecords(ctx.db, merchantId),
)
