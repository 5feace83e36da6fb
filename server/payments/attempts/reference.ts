/**
 * Our references for orders at providers. They follow from what was asked for, and not from chance: if an older backup is restored
 * and a merchant repeats a request, the reference is the same again, and the provider can be asked whether it has that order.
 * Rule: nobody outside can compute a reference, because a payment's id ends with it, and who knows the id sees the checkout.
 */
import { hash } from 'node:crypto'
import { isSame } from '../../accounts/contract.ts'
import { identityOf, NO_IDENTITY } from '../../accounts/driver-settings.ts'
import { refusedAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { nameFrom } from '../../id.ts'
import type { Account } from '../../providers/registry.ts'
import { listAccounts } from '../../storage/accounts/accounts.ts'
import {
  findSkippedFor,
  joinOrderNumbers,
  type NumberRange,
  skipOrderNumbers,
  takeOrderNumber,
} from '../../storage/accounts/order-numbers.ts'
import type { Queryable } from '../../storage/db.ts'
import { readOrderSecret } from '../../storage/order-secret.ts'
import type { Attempt } from '../../storage/payments/attempt.ts'
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
 * Returns the reference of a new order: a number where the driver wants one, else the name. It is stored before the provider is called.
 * `db`: the caller's transaction, if it has one. Nothing here takes a second connection: if all transactions waited for one, none would
 * ever get it.
 * @throws AppError provider_unavailable if the account has no number left
 */
export async function allocateReference(
  ctx: Context,
  db: Queryable,
  account: Account,
  name: string,
): Promise<string> {
  const range = account.driver.orderNumbers?.(account.settings)
  if (!range) return name
  const sharing = await listSharing(ctx, db, account)
  const [oldest, ...others] = sharing
  if (others.length > 0) await joinOrderNumbers(db, oldest, others)
  await skipLostNumbers(ctx, db, sharing, range)
  const taken = await takeOrderNumber(db, oldest, range)
  if (taken) return String(taken.number)
  throw refusedAccount(
    new Error(`the account ${account.id} has used up its range of order numbers: set a new range`),
  )
}

type Sharing = readonly [oldest: string, ...rest: string[]]

/**
 * Returns the ids of the accounts of one contract, of every owner and retired ones too, the oldest first. What is in memory is as new as
 * the account that was chosen from it.
 */
async function listSharing(ctx: Context, db: Queryable, account: Account): Promise<Sharing> {
  if (identityOf(account) === NO_IDENTITY) return [account.id]
  const inMemory = ctx.accounts.recall()
  const all = inMemory ? [...inMemory.byId.values()].map(({ record }) => record) : await listAccounts(db)
  const same = all.filter((record) => isSame(record, account)).map(({ id }) => id)
  const [oldest = account.id, ...rest] = [...new Set([account.id, ...same])].sort()
  return [oldest, ...rest]
}

/** A planned order keeps its reference, unless it now goes to a provider that wants a number. */
export async function referenceFor(
  ctx: Context,
  tx: Queryable,
  account: Account,
  attempt: Attempt,
  nextName: string,
): Promise<string> {
  const fits = attempt.accountId === account.id || !account.driver.orderNumbers
  if (attempt.state === 'planned' && fits) return attempt.reference
  return allocateReference(ctx, tx, account, nextName)
}

/** For each world: the ranges that have skipped their numbers, and for which restore. */
const settled = new WeakMap<Context['db'], Map<string, number>>()

/**
 * The orders between a backup and the loss of the database are lost, and the provider knows their numbers. After a restore a range
 * skips as many numbers as its contract can have used since the backup, but at most half of those that are left.
 */
async function skipLostNumbers(
  ctx: Context,
  db: Queryable,
  sharing: Sharing,
  range: NumberRange,
): Promise<void> {
  const restore = await latestRestore(ctx, db)
  if (!restore) return
  const restoredAt = restore.restoredAt.getTime()
  const known = settled.get(ctx.db) ?? new Map<string, number>()
  settled.set(ctx.db, known)
  const [oldest] = sharing
  const name = `${oldest} ${range.first}`
  if (known.get(name) === restoredAt) return
  const skippedFor = await findSkippedFor(db, oldest, range)
  if (skippedFor && skippedFor.restoredAt.getTime() >= restoredAt) {
    known.set(name, restoredAt)
    return
  }
  const busiest = sharing.reduce((sum, id) => sum + (restore.busiestOrders[id] ?? 0), 0)
  await skipOrderNumbers(db, oldest, range, countLostNumbers(restore, busiest), restore.restoredAt)
}
