/**
 * Our references for orders at providers. They follow from what was asked for, and not from chance: if an older backup is restored
 * and a merchant repeats a request, the reference is the same again, and the provider can be asked whether it has that order.
 * Rule: nobody outside can compute a reference, because a payment's id ends with it, and who knows the id sees the checkout.
 */
import { hash } from 'node:crypto'
import { refusedAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { nameFrom } from '../../id.ts'
import type { Account } from '../../providers/registry.ts'
import type { Queryable } from '../../storage/db.ts'
import { readOrderSecret } from '../../storage/order-secret.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
import { findOrderNumbers, nextOrderNumber, skipOrderNumbers } from '../../storage/payments/attempt-orders.ts'
import type { KeyAddress } from '../../storage/payments/idempotency-keys.ts'
import { countLostNumbers, latestRestore } from '../restored.ts'

/** For each world: the secret of its database. It never changes, so each process reads it once. */
const secrets = new WeakMap<Context['db'], Buffer>()

async function learnSecret(ctx: Context, db: Queryable): Promise<Buffer> {
  const secret = await readOrderSecret(db)
  secrets.set(ctx.db, secret)
  return secret
}

/** Returns the same name for the same parts, as long as the database or a backup of it is used. `db`: the caller's transaction. */
export async function deriveName(
  ctx: Context,
  parts: readonly (string | number)[],
  db: Queryable = ctx.db,
): Promise<string> {
  // Less than half of the digest is shown, so nobody can extend it. An HMAC object costs nine times as much.
  const secret = secrets.get(ctx.db) ?? (await learnSecret(ctx, db))
  const keyed = Buffer.concat([secret, Buffer.from(JSON.stringify(parts))])
  return nameFrom(hash('sha256', keyed, 'buffer'))
}

/** Returns the name of a payment that this use of the key creates. A key is used again after its payment was refused or is over. */
export function nameOfUse(
  ctx: Context,
  { merchantId, scope, key }: KeyAddress,
  use: number,
): Promise<string> {
  return deriveName(ctx, [merchantId, scope, key, use])
}

/** Returns the name of the order that follows this one. */
export function nameOfNext(
  ctx: Context,
  { accountId, reference }: Pick<Attempt, 'accountId' | 'reference'>,
): Promise<string> {
  return deriveName(ctx, [accountId, reference])
}

/**
 * Returns the reference of a new order: by the driver's rule where it has one, else the name. It is stored before the provider is called.
 * @throws AppError provider_unavailable if the account has no reference left
 */
export async function allocateReference(
  ctx: Context,
  db: Queryable,
  account: Account,
  name: string,
): Promise<string> {
  const { driver, id, settings } = account
  if (!driver.allocateReference) return name
  await skipLostNumbers(ctx, db, account)
  const reference = driver.allocateReference(await nextOrderNumber(db, id), settings)
  if (reference === null)
    throw refusedAccount(
      new Error(`the account ${id} has used up its range of order numbers: set a new range`),
    )
  return reference
}

/** A planned order keeps its reference, unless it now goes to a provider with a rule of its own for references. */
export async function referenceFor(
  ctx: Context,
  tx: Queryable,
  account: Account,
  attempt: Attempt,
  nextName: string,
): Promise<string> {
  const fits = attempt.accountId === account.id || !account.driver.allocateReference
  if (attempt.state === 'planned' && fits) return attempt.reference
  return allocateReference(ctx, tx, account, nextName)
}

/** For each world: the accounts that have skipped their numbers, and for which restore. */
const settled = new WeakMap<Context['db'], Map<string, number>>()

/**
 * The orders between a backup and the loss of the database are lost, and the provider knows their numbers. After a restore the account
 * skips as many numbers as it can have used since the backup, but at most half of those that are left to it.
 */
async function skipLostNumbers(ctx: Context, db: Queryable, account: Account): Promise<void> {
  const restore = await latestRestore(ctx)
  if (!restore) return
  const { restoredAt, busiestOrders } = restore
  const known = settled.get(ctx.db) ?? new Map<string, number>()
  settled.set(ctx.db, known)
  if (known.get(account.id) === restoredAt.getTime()) return
  const { lastNumber, skippedAt } = (await findOrderNumbers(db, account.id)) ?? {
    lastNumber: 0,
    skippedAt: null,
  }
  if (skippedAt && skippedAt >= restoredAt) {
    known.set(account.id, restoredAt.getTime())
    return
  }
  const usedMax = countLostNumbers(restore, busiestOrders[account.id] ?? 0)
  const left = countLeft(account, lastNumber)
  const numbers = Math.min(usedMax, Math.floor(left / 2))
  await skipOrderNumbers(db, account.id, numbers, restoredAt)
}

const COUNTED_MAX = 2_000_000

/** Returns how many references the driver still has after this number, as far as it matters. */
function countLeft({ driver, settings }: Account, lastNumber: number): number {
  const isThere = (count: number) => driver.allocateReference?.(lastNumber + count, settings) != null
  let [least, most] = [0, COUNTED_MAX]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (isThere(middle)) least = middle
    else most = middle - 1
  }
  return least
}
