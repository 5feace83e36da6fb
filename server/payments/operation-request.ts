/**
 * A merchant, or the service itself, requests a guarded operation. Three checks decide: the idempotency key, the route's capability,
 * and the state of the payment. An accepted operation is queued, and a worker carries it out later. If the route does not allow the
 * operation, the request is rejected but recorded, and its key stays free.
 */

import { isEnabled, refusalOf } from '../accounts/capability-state.ts'
import { findAccount } from '../accounts/choice.ts'
import type { Context } from '../context.ts'
import type { OperationResponse, OperationType } from '../contract/operation.ts'
import { AppError } from '../errors.ts'
import { newId } from '../id.ts'
import { translate } from '../messages/translate.ts'
import { inTransaction, limitLockWait, type Tx } from '../storage/db.ts'
import type { KeyAddress } from '../storage/payments/idempotency-keys.ts'
import {
  findOperation,
  findOperationByKey,
  insertOperation,
  type OperationRecord,
} from '../storage/payments/operations.ts'
import type { AttemptedPayment } from '../storage/payments/payment.ts'
import { findPayment } from '../storage/payments/payments.ts'
import { fingerprint } from './idempotency.ts'
import { isMoneyOperation, isRefusedCall, OPERATION_TABLE, presentOperation } from './operation.ts'
import { noteOperation, type OperationChange } from './operation-change.ts'
import { openRestore, WAITS_FOR_RESTORE } from './restored.ts'
import { presentPayment } from './view.ts'

/** How long a request waits for a concurrent request with the same key or for the same payment. */
const CONCURRENT_WAIT_MS = 10_000

/** Who asks. `by`: the name of the operator who asks in the merchant's place. Operators' keys are apart from the merchant's. */
export type Asker = { merchantId: string; idempotencyKey: string; by?: string | undefined }

export type OperationClaim = KeyAddress & { fingerprint: string; by?: string | undefined }

const OPERATOR_SCOPE = 'operator: '

export const scopeOf = ({ by }: Pick<Asker, 'by'>, scope: string): string =>
  by === undefined ? scope : `${OPERATOR_SCOPE}${scope}`

/** `request`: what a repetition under the same key must agree with. */
export function claimOf(asker: Asker, scope: string, request: unknown): OperationClaim {
  const { merchantId, idempotencyKey: key, by } = asker
  return { merchantId, scope: scopeOf(asker, scope), key, fingerprint: fingerprint(request), by }
}

/** How the history names the caller. */
export const callerInHistory = ({ by }: Pick<Asker, 'by'>): Pick<OperationChange, 'cause' | 'actor'> =>
  by === undefined ? { cause: 'request' } : { cause: 'operator', actor: by }

/** The requested operation. Fields that do not concern its type are left out. */
export type OperationDraft = { type: OperationType } & Pick<OperationRecord, 'provider' | 'accountId'> &
  Partial<
    Pick<
      OperationRecord,
      | 'paymentId'
      | 'attempt'
      | 'tokenId'
      | 'subscriptionId'
      | 'amountMinor'
      | 'currency'
      | 'reason'
      | 'metadata'
    >
  >

export type Requested = { operation: OperationRecord; created: boolean }

type Steps = {
  /** Runs first in the transaction that queues the operation. Locks what the operation's terms depend on, and returns these terms. */
  decideTerms?: (tx: Tx) => Promise<Pick<OperationDraft, 'amountMinor' | 'attempt'>>
  /** Runs last in that transaction. Takes further locks, makes its own changes, and throws if the operation is not allowed. */
  accept: (tx: Tx, operation: OperationRecord) => Promise<void>
  /** Runs in the transaction that records a call which a limit has refused. */
  noteLimit?: ((tx: Tx, operation: OperationRecord) => Promise<void>) | undefined
}

/**
 * Queues the operation for `claim`'s key, or finds the operation that the key created earlier. Safe to repeat, also concurrently
 * and after any crash.
 * @throws AppError idempotency_key_reused; operation_disabled, operation_not_configured and refund_limit_reached, all recorded; what
 *   the steps throw;
 *   request_in_progress when another request holds the key or the payment for too long
 */
export async function requestOperation(
  ctx: Context,
  claim: OperationClaim,
  draft: OperationDraft,
  steps: Steps | Steps['accept'],
): Promise<Requested> {
  const { decideTerms, accept, noteLimit }: Steps = typeof steps === 'function' ? { accept: steps } : steps
  const known = await findOperationByKey(ctx.db, claim)
  if (known && !isRefusedCall(known.status)) return replay(claim, known)
  await refuseUnlessEnabled(ctx, claim, draft)
  const waits = isMoneyOperation(draft.type) && (await openRestore(ctx)) !== null
  const statusReason = waits ? WAITS_FOR_RESTORE : null
  let terms: Partial<OperationDraft> = {}
  const queueing = inTransaction(ctx.db, async (tx) => {
    await limitLockWait(tx, CONCURRENT_WAIT_MS)
    terms = (await decideTerms?.(tx)) ?? {}
    const record = { ...newOperation(ctx, claim, { ...draft, ...terms }), statusReason }
    const queued = await insertOperation(tx, record)
    if (!queued) return null
    await noteOperation(tx, queued, { from: known?.status ?? null, ...callerInHistory(claim) })
    await accept(tx, queued)
    return queued
  })
  const operation = await queueing.catch(async (error: unknown) => {
    throw await refusedByLimit(ctx, claim, { ...draft, ...terms }, { error, noteLimit })
  })
  if (operation) return { operation, created: true }
  const concurrent = await findOperationByKey(ctx.db, claim)
  if (!concurrent) throw new Error(`Bug! The key ${claim.key} exists but has no operation.`)
  return replay(claim, concurrent)
}

/**
 * The service itself asks. The caller has checked that the account allows it. Returns false if the key has an operation already.
 */
export async function requestByService(
  ctx: Context,
  tx: Tx,
  claim: OperationClaim,
  draft: OperationDraft,
): Promise<boolean> {
  const record = { ...newOperation(ctx, claim, draft), cause: 'service' as const }
  const queued = await insertOperation(tx, record)
  if (queued) await noteOperation(tx, queued, { from: null, cause: 'service' })
  return queued !== null
}

/** Returns whether the key has an accepted operation. It is then replayed, even if the route no longer allows the operation. */
export async function isReplay(ctx: Context, claim: OperationClaim): Promise<boolean> {
  const known = await findOperationByKey(ctx.db, claim)
  return known !== null && !isRefusedCall(known.status)
}

/** Returns the contract's response to a request for an operation on a payment. */
export async function presentRequested(
  ctx: Context,
  { operation, created }: Requested,
  payment: AttemptedPayment,
): Promise<OperationResponse> {
  const now = (await findPayment(ctx.db, payment.merchantId, payment.id)) ?? payment
  return { ok: true, created, operation: presentOperation(operation), payment: presentPayment(ctx, now) }
}

/** Returns the operation's current record. */
export async function rereadOperation(ctx: Context, operation: OperationRecord): Promise<OperationRecord> {
  return (await findOperation(ctx.db, operation.merchantId, operation.id)) ?? operation
}

function replay(claim: OperationClaim, known: OperationRecord): Requested {
  if (known.fingerprint !== claim.fingerprint)
    throw new AppError('idempotency_key_reused', {
      errors: { 'Idempotency-Key': translate('en', 'errors.idempotencyKey.otherContent') },
    })
  return { operation: known, created: false }
}

/**
 * Records the rejected request and throws, unless the account's capability is enabled and set up.
 * @throws AppError operation_disabled (409) when the capability is not enabled; operation_not_configured (501) when it is
 *   enabled but nothing is set up to carry it out
 */
async function refuseUnlessEnabled(
  ctx: Context,
  claim: OperationClaim,
  draft: OperationDraft,
): Promise<void> {
  const account = draft.accountId === null ? null : await findAccount(ctx, draft.accountId)
  const { capability } = OPERATION_TABLE[draft.type]
  const enabled = isEnabled(ctx, account, capability)
  const statusReason = refusalOf(ctx, account, capability)
  const isConfigured = account?.settings.OPERATIONS !== 'not_configured'
  if (enabled && isConfigured) return
  const status = enabled ? 'requires_provider_contract' : 'blocked'
  const operation = await recordRefused(ctx, claim, draft, { status, statusReason })
  throw new AppError(enabled ? 'operation_not_configured' : 'operation_disabled', {
    ...(statusReason !== null && { hint: `${draft.provider}: ${statusReason}` }),
    ...(operation && { operation: presentOperation(operation) }),
  })
}

type Refused = Pick<OperationRecord, 'status' | 'statusReason'> & Pick<Steps, 'noteLimit'>

/** Returns null if the key has an accepted operation by now. */
async function recordRefused(
  ctx: Context,
  claim: OperationClaim,
  draft: OperationDraft,
  { status, statusReason, noteLimit }: Refused,
): Promise<OperationRecord | null> {
  const record: OperationRecord = { ...newOperation(ctx, claim, draft), status, statusReason, dueAt: null }
  return inTransaction(ctx.db, async (tx) => {
    await limitLockWait(tx, CONCURRENT_WAIT_MS)
    const refused = await insertOperation(tx, record)
    if (refused) {
      await noteOperation(tx, refused, { from: null, ...callerInHistory(claim) })
      await noteLimit?.(tx, refused)
    }
    return refused
  })
}

/** Records a call that a limit has refused. Its key stays free. Returns what to throw. */
async function refusedByLimit(
  ctx: Context,
  claim: OperationClaim,
  draft: OperationDraft,
  { error, noteLimit }: { error: unknown } & Pick<Steps, 'noteLimit'>,
): Promise<unknown> {
  if (!(error instanceof AppError) || error.code !== 'refund_limit_reached') return error
  const statusReason = error.details.hint ?? error.message
  const operation = await recordRefused(ctx, claim, draft, { status: 'blocked', statusReason, noteLimit })
  const shown = operation && { operation: presentOperation(operation) }
  return new AppError(error.code, { ...error.details, message: error.message, ...shown })
}

function newOperation(ctx: Context, claim: OperationClaim, draft: OperationDraft): OperationRecord {
  const now = ctx.clock.now()
  return {
    ...claim,
    id: newId(ctx.world, 'opr', claim.merchantId, now),
    status: 'queued',
    statusReason: null,
    paymentId: null,
    attempt: null,
    tokenId: null,
    subscriptionId: null,
    cause: 'request',
    amountMinor: null,
    currency: null,
    reason: null,
    metadata: null,
    providerOperationId: null,
    before: null,
    counted: null,
    sentAt: null,
    lastPendingAt: null,
    revertedAt: null,
    dueAt: now,
    sendCount: 0,
    notTakenSince: null,
    refusedTimes: 0,
    attempts: 0,
    createdAt: now,
    updatedAt: now,
    ...draft,
  }
}
