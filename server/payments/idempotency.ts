/**
 * Idempotency: one key creates one payment. The key and its payment are stored together. While the provider is called, a lease
 * protects the key. When the result is final, the key is finished and the lease ends. If a process dies, the lease expires, and
 * the next request or the worker resumes the same payment.
 */
import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { inTransaction } from '../storage/db.ts'
import {
  findIdempotencyKey,
  type IdempotencyKeyRecord,
  type KeyAddress,
  rebindIdempotencyKey,
  takeIdempotencyLease,
} from '../storage/payments/idempotency-keys.ts'
import { beginPayment, insertPayment } from '../storage/payments/payment-creation.ts'
import { findPayment, type PaymentRecord } from '../storage/payments/payments.ts'

/** How long a request waits for a concurrent request with the same key. */
const CONCURRENT_WAIT_MS = 10_000
const CONCURRENT_POLL_MS = 25

export type KeyClaim = KeyAddress & {
  fingerprint: string
  /** True when the key may create a new payment although it has this one. Always false for a key that a caller chose. */
  isReleased(payment: PaymentRecord): boolean
  /** The caller's name for the key, if that is not the header. Errors name it. */
  keyField?: string
  /** Set for a derived key: it replays its payment until `isReleased`, also after the retention time of callers' keys. */
  outlivesRetention?: true
}

/** Returns the payment that this use of the key would create. Uses are counted from 1. */
export type Plan = (use: number) => Promise<PaymentRecord>

/**
 * `new`: this request stored the payment and must start it. `resumed`: the payment was left unfinished, and this request took
 * over its lease. `replay`: the key is finished, and the payment is its result.
 */
export type ClaimedKey = {
  kind: 'new' | 'resumed' | 'replay'
  payment: PaymentRecord
  leaseUntil: Date | null
}

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

function leaseEnd(ctx: Context): Date {
  return new Date(ctx.clock.now().getTime() + ctx.config.idempotencyLeaseSeconds * 1000)
}

/**
 * Claims the key for a payment, or finds the payment that the key already has. Waits while a concurrent request holds the key.
 * `plan`: returns the payment for the first, second or later use of the key.
 * @throws AppError idempotency_key_reused when the content differs or the retention time has passed; request_in_progress when
 *   the concurrent request takes too long
 */
export async function claimKey(ctx: Context, claim: KeyClaim, plan: Plan): Promise<ClaimedKey> {
  const inserted = await insertKey(ctx, claim, await plan(1))
  if (inserted) return inserted
  const deadline = performance.now() + CONCURRENT_WAIT_MS
  while (performance.now() < deadline) {
    const claimed = await claimExistingKey(ctx, claim, plan)
    if (claimed) return claimed
    await sleep(CONCURRENT_POLL_MS)
  }
  throw new AppError('request_in_progress', { retryAfterSeconds: 2 })
}

/** Tries once to claim a key that exists. Returns null when another request holds it, so that the caller tries again. */
async function claimExistingKey(ctx: Context, claim: KeyClaim, plan: Plan): Promise<ClaimedKey | null> {
  const key = await findIdempotencyKey(ctx.db, claim)
  if (!key) return insertKey(ctx, claim, await plan(1))
  const known = await findPayment(ctx.db, key.merchantId, key.paymentId)
  if (!known) throw new Error(`Bug! Key ${key.key} refers to payment ${key.paymentId}, which does not exist.`)
  if (!key.leaseUntil && (key.isFree || claim.isReleased(known)))
    return rebindKey(ctx, claim, key, await plan(key.uses + 1))
  if (key.fingerprint !== claim.fingerprint) throw reusedKey(claim, 'was used before with other content')
  if (!key.leaseUntil) {
    refuseExpired(ctx, claim, key)
    return { kind: 'replay', payment: known, leaseUntil: null }
  }
  const now = ctx.clock.now()
  const leaseUntil = leaseEnd(ctx)
  const taken = key.leaseUntil <= now && (await takeIdempotencyLease(ctx.db, claim, now, leaseUntil))
  return taken ? { kind: 'resumed', payment: known, leaseUntil } : null
}

/**
 * After the retention time a key is no longer replayed. Its row stays for ever, so the key can never create a second payment.
 * The key's age is enough to decide this, so no job has to mark or delete the row.
 * @throws AppError idempotency_key_reused
 */
function refuseExpired(ctx: Context, claim: KeyClaim, { createdAt, paymentId }: IdempotencyKeyRecord): void {
  const ageMs = ctx.clock.now().getTime() - createdAt.getTime()
  if (claim.outlivesRetention || ageMs < ctx.config.idempotencyTtlSeconds * 1000) return
  const hint = `The key created the payment ${paymentId}. Look up that payment, or use a new key for a new payment.`
  throw reusedKey(claim, `was used at ${createdAt.toISOString()}, too long ago to be replayed`, hint)
}

function reusedKey({ keyField }: KeyClaim, problem: string, hint?: string): AppError {
  return new AppError('idempotency_key_reused', {
    errors: { [keyField ?? 'Idempotency-Key']: problem },
    ...(keyField !== undefined && {
      message: `This ${keyField} was used before with other content.`,
      hint: `Send the same ${keyField} for retries of an attempt, and a new one for a new attempt.`,
    }),
    ...(hint !== undefined && { hint }),
  })
}

/** Returns the payment of a finished key; null when there is none. For requests that could not create a new payment now. */
export async function findReplay(ctx: Context, claim: KeyClaim): Promise<PaymentRecord | null> {
  const key = await findIdempotencyKey(ctx.db, claim)
  if (!key || key.isFree || key.leaseUntil || key.fingerprint !== claim.fingerprint) return null
  const known = await findPayment(ctx.db, key.merchantId, key.paymentId)
  if (!known || claim.isReleased(known)) return null
  refuseExpired(ctx, claim, key)
  return known
}

/** Returns null for a payment that already has its checkout: nothing is left to do, so its key is stored as finished. */
function leaseFor(ctx: Context, payment: PaymentRecord): Date | null {
  return payment.status === 'created' ? leaseEnd(ctx) : null
}

/** Stores the key and the payment in one write. Returns null, and writes nothing, when the key exists. */
async function insertKey(ctx: Context, claim: KeyClaim, payment: PaymentRecord): Promise<ClaimedKey | null> {
  const { scope, key, fingerprint: digest } = claim
  const leaseUntil = leaseFor(ctx, payment)
  const inserted = await beginPayment(ctx.db, {
    claim: { scope, key, fingerprint: digest, leaseUntil },
    payment,
  })
  return inserted ? { kind: 'new', payment, leaseUntil } : null
}

/** Points a free or released key at a new payment. If several requests try at once, one succeeds and the others get null. */
async function rebindKey(
  ctx: Context,
  claim: KeyClaim,
  key: IdempotencyKeyRecord,
  payment: PaymentRecord,
): Promise<ClaimedKey | null> {
  const leaseUntil = leaseFor(ctx, payment)
  return inTransaction(ctx.db, async (tx) => {
    const to = {
      paymentId: payment.id,
      fingerprint: claim.fingerprint,
      leaseUntil,
      createdAt: payment.createdAt,
    }
    if (!(await rebindIdempotencyKey(tx, key, to))) return null
    await insertPayment(tx, payment)
    return { kind: 'new', payment, leaseUntil }
  })
}
