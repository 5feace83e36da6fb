/**
 * Idempotency: one key, one attempt. A key is claimed together with its payment, held under a lease while the provider
 * is asked, and finished with the answer. Whoever finds a lease that ran out resumes the same payment.
 */
import { createHash } from 'node:crypto'
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

/** How long a twin waits for the first to finish. */
const TWIN_WAIT_MS = 10_000
const TWIN_POLL_MS = 25

export type KeyClaim = KeyAddress & {
  fingerprint: string
  /** Whether the key has let go of this payment, so that it may start a new attempt. A key given by a caller never does. */
  isReleased(payment: PaymentRecord): boolean
  /** For a key that is let go of by that rule alone, and not after the retention of keys that callers choose. */
  outlivesRetention?: true
}

/** `begun`: a new payment, ours to start. `resumed`: one that somebody left unfinished. `replay`: answered before. */
export type Held = { kind: 'begun' | 'resumed' | 'replay'; payment: PaymentRecord; leaseUntil: Date | null }

/** SHA-256 over the content with sorted keys, so that spelling and order do not matter. */
export function fingerprint(content: unknown): string {
  return createHash('sha256').update(canonical(content)).digest('base64url')
}

/** The depth of request bodies is bounded before they come here. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, entry]) => entry !== undefined)
  entries.sort(([left], [right]) => (left < right ? -1 : 1))
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonical(entry)}`).join(',')}}`
}

function leaseEnd(ctx: Context): Date {
  return new Date(ctx.clock.now().getTime() + ctx.config.idempotencyLeaseSeconds * 1000)
}

/**
 * Claims the key for `payment`, or finds what the key stands for already. Waits for a twin that is at work.
 * @throws AppError idempotency_key_reused (other content, or past the retention), request_in_progress (the twin took too long)
 */
export async function holdKey(ctx: Context, claim: KeyClaim, payment: PaymentRecord): Promise<Held> {
  const begun = await begin(ctx, claim, payment)
  if (begun) return begun
  const deadline = performance.now() + TWIN_WAIT_MS
  while (performance.now() < deadline) {
    const held = await tryHold(ctx, claim, payment)
    if (held) return held
    await sleep(TWIN_POLL_MS)
  }
  throw new AppError('request_in_progress', { retryAfterSeconds: 2 })
}

/** One look at a key that is taken. Null: look again in a moment. */
async function tryHold(ctx: Context, claim: KeyClaim, fresh: PaymentRecord): Promise<Held | null> {
  const key = await findIdempotencyKey(ctx.db, claim)
  if (!key) return begin(ctx, claim, fresh)
  const known = await findPayment(ctx.db, key.merchantId, key.paymentId)
  if (!known) throw new Error(`Bug! Key ${key.key} stands for payment ${key.paymentId}, which is not there.`)
  if (!key.leaseUntil && claim.isReleased(known)) return startAgain(ctx, claim, key, fresh)
  if (key.fingerprint !== claim.fingerprint)
    throw new AppError('idempotency_key_reused', {
      errors: { 'Idempotency-Key': 'was used before with other content' },
    })
  if (!key.leaseUntil) {
    expectRetained(ctx, claim, key)
    return { kind: 'replay', payment: known, leaseUntil: null }
  }
  const now = ctx.clock.now()
  const leaseUntil = leaseEnd(ctx)
  const ours = key.leaseUntil <= now && (await takeIdempotencyLease(ctx.db, claim, now, leaseUntil))
  return ours ? { kind: 'resumed', payment: known, leaseUntil } : null
}

/**
 * Past the retention a key is not answered any more; it stays with its payment for good, so that it never makes a second one.
 * That is told by its age alone: nothing in its row is worth a write to drop.
 */
function expectRetained(ctx: Context, claim: KeyClaim, { createdAt, paymentId }: IdempotencyKeyRecord): void {
  const ageMs = ctx.clock.now().getTime() - createdAt.getTime()
  if (claim.outlivesRetention || ageMs < ctx.config.idempotencyTtlSeconds * 1000) return
  throw new AppError('idempotency_key_reused', {
    errors: { 'Idempotency-Key': `was used at ${createdAt.toISOString()}, too long ago to be replayed` },
    hint: `It stands for the payment ${paymentId}: look that one up. A new attempt needs a new key.`,
  })
}

/** The answer that a finished key has already; null where there is none. For requests that could not begin anew. */
export async function findReplay(ctx: Context, claim: KeyClaim): Promise<PaymentRecord | null> {
  const key = await findIdempotencyKey(ctx.db, claim)
  if (!key || key.leaseUntil || key.fingerprint !== claim.fingerprint) return null
  const known = await findPayment(ctx.db, key.merchantId, key.paymentId)
  if (!known || claim.isReleased(known)) return null
  expectRetained(ctx, claim, key)
  return known
}

/** A payment that is begun with its checkout in hand needs nobody at work on it: its key is finished from the first. */
function leaseFor(ctx: Context, payment: PaymentRecord): Date | null {
  return payment.status === 'created' ? leaseEnd(ctx) : null
}

async function begin(ctx: Context, claim: KeyClaim, payment: PaymentRecord): Promise<Held | null> {
  const { scope, key, fingerprint: digest } = claim
  const leaseUntil = leaseFor(ctx, payment)
  const begun = await beginPayment(ctx.db, {
    claim: { scope, key, fingerprint: digest, leaseUntil },
    payment,
  })
  return begun ? { kind: 'begun', payment, leaseUntil } : null
}

/** Points a released key at a new payment. One of several callers at once succeeds. */
async function startAgain(
  ctx: Context,
  claim: KeyClaim,
  key: IdempotencyKeyRecord,
  fresh: PaymentRecord,
): Promise<Held | null> {
  const leaseUntil = leaseFor(ctx, fresh)
  return inTransaction(ctx.db, async (tx) => {
    const to = {
      paymentId: fresh.id,
      fingerprint: claim.fingerprint,
      leaseUntil,
      createdAt: fresh.createdAt,
    }
    if (!(await rebindIdempotencyKey(tx, key, to))) return null
    await insertPayment(tx, fresh)
    return { kind: 'begun', payment: fresh, leaseUntil }
  })
}
