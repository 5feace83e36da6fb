/**
 * Idempotency: one key creates one payment. The key and its payment are stored together, and the key points to the payment and
 * nothing else. How far the payment's order is stands with the order.
 */

import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { translate } from '../messages/translate.ts'
import { inTransaction, type Queryable } from '../storage/db.ts'
import { listAttempts } from '../storage/payments/attempt-orders.ts'
import {
  findIdempotencyKey,
  type IdempotencyKeyRecord,
  type KeyAddress,
  rebindIdempotencyKey,
} from '../storage/payments/idempotency-keys.ts'
import type { AttemptedPayment, Payment } from '../storage/payments/payment.ts'
import { beginPayment, insertPayment } from '../storage/payments/payment-creation.ts'
import { findPayment, lockPayment } from '../storage/payments/payments.ts'
import { applyStatusIn } from './transition.ts'

/** A claim is tried again only when another request changed the key in the same moment. */
const TRIES_MAX = 5

export type KeyClaim = KeyAddress & {
  fingerprint: string
  /** True when the key may create a new payment although it has this one. Always false for a key that a caller chose. */
  isReleased(payment: Payment): boolean
  /** The caller's name for the key, if that is not the header. Errors name it. */
  keyField?: string
  /** Set if a plan takes something that is scarce, such as an order number: then the key is looked for before anything is planned. */
  isLookedForFirst?: boolean
  /** Set for a derived key: it replays its payment until `isReleased`, also after the retention time of callers' keys. */
  outlivesRetention?: true
}

/** Returns the payment that this use of the key would create. Uses are counted from 1. */
export type Plan = (use: number) => Promise<AttemptedPayment>

/** `new`: this request stored the payment, and opens its order. `known`: the key has this payment. */
export type ClaimedKey = { kind: 'new' | 'known'; payment: AttemptedPayment }

/** Returns a SHA-256 of the content. Object keys are sorted first, so their order does not matter. */
export function fingerprint(content: unknown): string {
  return hash('sha256', JSON.stringify(sorted(content)), 'base64url')
}

/** The recursion is safe, because the depth of request bodies is limited before they get here. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value).sort()) copy[key] = sorted((value as Record<string, unknown>)[key])
  return copy
}

/**
 * Claims the key for a payment, or finds the payment that the key already has. `plan`: returns the payment for the first, second or
 * later use of the key.
 * @throws AppError idempotency_key_reused when the content differs or the retention time has passed; request_in_progress when others with
 *   the same key take too long
 */
export function claimKey(ctx: Context, claim: KeyClaim, plan: Plan): Promise<ClaimedKey> {
  if (!claim.isLookedForFirst) return claimOrFind(ctx, claim, plan, null)
  return inTurn(ctx, claim, async () =>
    claimOrFind(ctx, claim, plan, await claimExistingKey(ctx, claim, plan)),
  )
}

/** For each world: what has to end before the next request of this process with a key begins. */
const turns = new WeakMap<Context['db'], Map<string, Promise<unknown>>>()
/** How long a request waits for those before it. */
const TURN_WAIT_MS = 10_000
const TURN_STEP_MS = 400

/**
 * Requests of this process with one key come one after the other, so that only the first plans something. Each other process may plan once
 * at the same moment.
 * @throws AppError request_in_progress if those before take too long
 */
async function inTurn<Result>(
  { db }: Context,
  { merchantId, scope, key }: KeyAddress,
  work: () => Promise<Result>,
): Promise<Result> {
  const own = turns.get(db) ?? new Map<string, Promise<unknown>>()
  turns.set(db, own)
  const name = JSON.stringify([merchantId, scope, key])
  const ahead = own.get(name)
  const turn = ahead ? workAfter(ahead, work) : work()
  // A request that gives up does not end those before it, so the next one waits for them too. No result is kept: while requests with
  // one key follow each other without a pause, each promise would hold the results of all before it.
  const all = Promise.allSettled([ahead, turn]).then(() => undefined)
  own.set(name, all)
  void all.then(() => own.get(name) === all && own.delete(name))
  return turn
}

async function workAfter<Result>(ahead: Promise<unknown>, work: () => Promise<Result>): Promise<Result> {
  let hasEnded = false
  void ahead.then(() => {
    hasEnded = true
  })
  const deadline = performance.now() + TURN_WAIT_MS
  // In steps, because a test lets the ten seconds pass at once, and no timer knows of that.
  while (!hasEnded && performance.now() < deadline)
    await Promise.race([ahead, sleep(TURN_STEP_MS, undefined, { ref: false })])
  if (hasEnded) return work()
  throw new AppError('request_in_progress', { retryAfterSeconds: 2 })
}

async function claimOrFind(
  ctx: Context,
  claim: KeyClaim,
  plan: Plan,
  found: ClaimedKey | null,
): Promise<ClaimedKey> {
  let claimed = found
  for (let tries = 0; !claimed && tries < TRIES_MAX; tries++) {
    const payment = await plan(1)
    if (await beginPayment(ctx.db, { claim, payment })) return { kind: 'new', payment }
    claimed = await claimExistingKey(ctx, claim, plan)
  }
  if (claimed) return claimed
  throw new AppError('request_in_progress', { retryAfterSeconds: 2 })
}

/** Returns null when another request has just pointed the key at another payment, so that the caller tries again. */
async function claimExistingKey(ctx: Context, claim: KeyClaim, plan: Plan): Promise<ClaimedKey | null> {
  const key = await findIdempotencyKey(ctx.db, claim)
  if (!key) return null
  const known = await findKnown(ctx, key)
  if (await isFree(ctx.db, claim, key, known)) return rebindKey(ctx, key, claim, await plan(key.uses + 1))
  if (key.fingerprint !== claim.fingerprint) throw reusedKey(claim, OTHER_CONTENT)
  if (known.status !== 'created') refuseExpired(ctx, claim, key)
  return { kind: 'known', payment: known }
}

async function findKnown(ctx: Context, { merchantId, key, paymentId }: IdempotencyKeyRecord) {
  const known = await findPayment(ctx.db, merchantId, paymentId)
  if (!known) throw new Error(`Bug! Key ${key} refers to payment ${paymentId}, which does not exist.`)
  return known
}

/**
 * Returns whether the key may make a new payment. Besides what the claim says, that is so where the provider refused each order of
 * the payment, so that there is nothing that a buyer could have paid, and the payment has expired since, or the caller has mended
 * the content.
 */
async function isFree(
  db: Queryable,
  claim: KeyClaim,
  key: IdempotencyKeyRecord,
  known: AttemptedPayment,
): Promise<boolean> {
  if (claim.isReleased(known)) return true
  const isMended = known.status === 'created' && key.fingerprint !== claim.fingerprint
  if (known.attempt.state !== 'refused' || !(isMended || known.status === 'expired')) return false
  return (await listAttempts(db, known)).every(({ state }) => state === 'refused')
}

/**
 * After the retention time a key is no longer replayed. Its row stays for ever, so the key can never create a second payment.
 * The key's age is enough to decide this, so no job has to mark or delete the row.
 * @throws AppError idempotency_key_reused
 */
function refuseExpired(ctx: Context, claim: KeyClaim, { createdAt, paymentId }: IdempotencyKeyRecord): void {
  const ageMs = ctx.clock.now().getTime() - createdAt.getTime()
  if (claim.outlivesRetention || ageMs < ctx.config.idempotencyTtlSeconds * 1000) return
  const hint = translate('en', 'errors.idempotencyKey.expiredHint', { paymentId })
  throw reusedKey(
    claim,
    translate('en', 'errors.idempotencyKey.expired', { at: createdAt.toISOString() }),
    hint,
  )
}

const OTHER_CONTENT = translate('en', 'errors.idempotencyKey.otherContent')

function reusedKey({ keyField }: KeyClaim, problem: string, hint?: string): AppError {
  return new AppError('idempotency_key_reused', {
    errors: { [keyField ?? 'Idempotency-Key']: problem },
    message: `This ${keyField ?? 'idempotency key'} ${problem}.`,
    ...(keyField !== undefined && {
      hint: translate('en', 'errors.idempotencyKey.sameField', { field: keyField }),
    }),
    ...(hint !== undefined && { hint }),
  })
}

/** Returns the payment of a key; null while it has none. For requests that could not create a new payment now. */
export async function findReplay(ctx: Context, claim: KeyClaim): Promise<AttemptedPayment | null> {
  const key = await findIdempotencyKey(ctx.db, claim)
  if (!key || key.fingerprint !== claim.fingerprint) return null
  const known = await findKnown(ctx, key)
  if (claim.isReleased(known)) return null
  refuseExpired(ctx, claim, key)
  return known
}

/**
 * Points a released key at a new payment. If several requests try at once, one succeeds and the others get null. The earlier payment
 * is over then: nobody opens an order of it any more.
 */
async function rebindKey(
  ctx: Context,
  key: IdempotencyKeyRecord,
  claim: KeyClaim,
  payment: AttemptedPayment,
): Promise<ClaimedKey | null> {
  return inTransaction(ctx.db, async (tx) => {
    const earlier = await lockPayment(tx, key.merchantId, key.paymentId)
    if (!earlier || !(await isFree(tx, claim, key, earlier))) return null
    const to = { paymentId: payment.id, fingerprint: claim.fingerprint, createdAt: payment.createdAt }
    if (!(await rebindIdempotencyKey(tx, key, to))) return null
    const detail = 'the provider refused its order, and the caller has sent another request instead'
    if (earlier.status === 'created')
      await applyStatusIn(ctx, tx, earlier, { to: 'failed', cause: 'provider', detail })
    await insertPayment(tx, payment)
    return { kind: 'new', payment }
  })
}
