/**
 * Asking the provider what became of a saving, and telling it that a method is given up. The buyer's return proves nothing,
 * nor does the answer to a revocation: the provider is asked.
 */
import type { Context } from '../../context.ts'
import type { TokenLookUp } from '../../providers/driver.ts'
import { isReady } from '../../providers/registry.ts'
import { inTransaction } from '../../storage/db.ts'
import { type OperationRecord, rescheduleOperation } from '../../storage/payments/operations.ts'
import {
  findSavedMethod,
  findSavedMethodById,
  rescheduleSavedMethod,
  type SavedMethodRecord,
} from '../../storage/payments/saved-methods.ts'
import { NOT_READY } from '../capability.ts'
import { applyOperationIn } from '../operation-change.ts'
import { backOffMs, providerCall, within } from '../provider-call.ts'
import { questionDelayMs } from '../question-schedule.ts'
import { applyTokenIn, type TokenChange } from './change.ts'

/** While one process asks, the others leave the token alone for this long. */
export const TOKEN_LEASE_MS = 60_000
const QUESTION_TIMEOUT_MS = 5_000
const REVOKE_TIMEOUT_MS = 20_000
const REVOKE_AGAIN_MAX_MS = 15 * 60_000
/** A provider that does not give a method up is not asked to for longer than this. */
const REVOKE_PATIENCE_MS = 24 * 3_600_000

/**
 * The buyer is back. Answers where to send the browser on to, with the token's id and never a status; a null address where the
 * merchant named none; null for an unknown token.
 */
export async function returnFromSaving(
  ctx: Context,
  tokenId: string,
): Promise<{ token: SavedMethodRecord; url: string | null } | null> {
  const known = await findSavedMethodById(ctx.db, tokenId)
  if (!known) return null
  const token = await askAboutSavedMethod(ctx, known)
  if (!token.returnUrl) return { token, url: null }
  const url = new URL(token.returnUrl)
  url.searchParams.set('tokenId', token.id)
  return { token, url: url.href }
}

/** A question that fell due: asks, and says when to ask again. */
export async function askDueSavedMethod(ctx: Context, due: SavedMethodRecord): Promise<void> {
  const token = await askAboutSavedMethod(ctx, due)
  if (token.status !== 'pending') return
  const delayMs = questionDelayMs(ctx, due.attempts)
  const next = ctx.clock.now().getTime() + delayMs
  // Not past the end of its time: whoever has not saved a card by then has none.
  const end = token.expiresAt.getTime()
  await rescheduleSavedMethod(ctx.db, token, new Date(next > end && next - delayMs < end ? end : next))
}

/** Asks about a token that nobody has decided on, and applies the provider's word. */
async function askAboutSavedMethod(ctx: Context, token: SavedMethodRecord): Promise<SavedMethodRecord> {
  if (token.status !== 'pending') return token
  const change = decide(token, await askAboutToken(ctx, token), ctx.clock.now())
  if (!change) return token
  return (await inTransaction(ctx.db, (tx) => applyTokenIn(ctx, tx, token, change))).token
}

function decide(token: SavedMethodRecord, answer: TokenLookUp, now: Date): TokenChange | null {
  const overdue = now >= token.expiresAt
  const late: TokenChange = { to: 'failed', detail: 'no card was saved in time' }
  if (answer.kind === 'unavailable') return null
  if (answer.kind === 'not_found') return overdue ? late : null
  switch (answer.status) {
    case 'pending':
      return overdue ? late : null
    case 'active':
      return { to: 'active', card: answer.card, state: answer.state }
    case 'cancelled':
      return { to: 'cancelled', detail: 'the buyer saved no card' }
    case 'expired':
      return late
    case 'revoked':
      return { to: 'failed', detail: 'the provider has given it up' }
  }
}

async function askAboutToken(ctx: Context, token: SavedMethodRecord): Promise<TokenLookUp> {
  const route = ctx.routes[token.provider]
  if (!isReady(route) || !route.driver.lookUpToken) return { kind: 'unavailable', message: NOT_READY }
  const at = { reference: token.providerReference, state: token.providerState }
  try {
    return await within(QUESTION_TIMEOUT_MS, route.driver.lookUpToken(providerCall(ctx, route), at))
  } catch (error) {
    return { kind: 'unavailable', message: String(error) }
  }
}

/** One turn at a revocation: the provider is told, which does no harm twice, and asked whether it has done it. */
export async function workOnRevocation(ctx: Context, due: OperationRecord): Promise<void> {
  const { merchantId, tokenId } = due
  const token = await findSavedMethod(ctx.db, merchantId, tokenId ?? '')
  if (!token) throw new Error(`Bug! Operation ${due.id} is about no token.`)
  const now = ctx.clock.now()
  if (due.status === 'queued') {
    const change = { to: 'processing', cause: 'provider', dueAt: due.dueAt } as const
    await inTransaction(ctx.db, (tx) => applyOperationIn(ctx, tx, due, change))
  }
  const said = await tellRevoked(ctx, token)
  const asked = await askAboutToken(ctx, token)
  const open = asked.kind === 'found' && (asked.status === 'active' || asked.status === 'pending')
  if (asked.kind !== 'unavailable' && !open) return conclude(ctx, due, 'succeeded', null)
  const why = asked.kind === 'unavailable' ? asked.message : (said ?? 'the provider still has it')
  if (now.getTime() > due.createdAt.getTime() + REVOKE_PATIENCE_MS)
    return conclude(ctx, due, 'requires_operator_review', why)
  const waitMs = backOffMs(due.attempts, REVOKE_AGAIN_MAX_MS)
  await rescheduleOperation(ctx.db, due, { dueAt: new Date(now.getTime() + waitMs), why })
}

/** Answers what the provider had against it; null when it had nothing. */
async function tellRevoked(ctx: Context, token: SavedMethodRecord): Promise<string | null> {
  const route = ctx.routes[token.provider]
  if (!isReady(route) || !route.driver.revokeToken) return `${token.provider} cannot do this now`
  const at = { reference: token.providerReference, state: token.providerState }
  try {
    const answer = await within(REVOKE_TIMEOUT_MS, route.driver.revokeToken(providerCall(ctx, route), at))
    return 'message' in answer ? answer.message : null
  } catch (error) {
    return String(error)
  }
}

async function conclude(
  ctx: Context,
  operation: OperationRecord,
  to: 'succeeded' | 'requires_operator_review',
  detail: string | null,
): Promise<void> {
  const change = { to, cause: 'provider', dueAt: null, ...(detail !== null && { detail }) } as const
  await inTransaction(ctx.db, (tx) => applyOperationIn(ctx, tx, operation, change))
  const { id: operationId, tokenId } = operation
  ctx.log[detail === null ? 'info' : 'warn']({ operationId, tokenId, detail }, 'token revocation')
}
