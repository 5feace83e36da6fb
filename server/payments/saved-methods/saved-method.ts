/** Saved payment methods as a merchant asks for them: the intent that sends a buyer to the provider's page, and the end of one. */
import type { Context } from '../../context.ts'
import type {
  CreateTokenizationIntentRequest,
  PaymentMethodToken,
  TokenizationResponse,
  TokenRevocationResponse,
} from '../../contract/payment-method-token.ts'
import { AppError } from '../../errors.ts'
import { newId, referenceOf } from '../../id.ts'
import { findMerchantCached } from '../../merchants/merchant.ts'
import type { SavingResult } from '../../providers/driver.ts'
import { isReady } from '../../providers/registry.ts'
import type { Tx } from '../../storage/db.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import {
  findSavedMethod,
  insertSavedMethod,
  openSavedMethod,
  type SavedMethodRecord,
} from '../../storage/payments/saved-methods.ts'
import { wakeSubscriptionsOfToken } from '../../storage/payments/subscriptions.ts'
import { NOT_READY, namedRoute } from '../capability.ts'
import { fingerprint } from '../idempotency.ts'
import { presentOperation } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import { isReplay, requestOperation, rereadOperation } from '../operation-request.ts'
import { providerCall, within } from '../provider-call.ts'
import { firstQuestionAt } from '../question-schedule.ts'
import { absoluteReturnUrl } from '../return-url.ts'
import { applyTokenIn } from './change.ts'

const SAVE_TIMEOUT_MS = 20_000
const RETRY_AFTER_SECONDS = 5
/** Our reference at the provider is the token's id without its prefix. */

/** Where the provider sends the buyer back to: ours, never the merchant's. */
export function savingReturnUrl(ctx: { baseUrl: string }, tokenId: string): string {
  return `${ctx.baseUrl}/payment-method-tokens/${encodeURIComponent(tokenId)}/return`
}

/**
 * Opens the provider's page on which a buyer saves a payment method, or replays it.
 * @throws AppError return_url_not_allowed, provider_route_not_ready, operation_disabled, operation_not_configured,
 *   idempotency_key_reused, provider_unavailable: the same key goes on where this one stopped
 */
export async function createTokenizationIntent(
  ctx: Context,
  given: { merchantId: string; idempotencyKey: string; request: CreateTokenizationIntentRequest },
): Promise<TokenizationResponse> {
  const { merchantId, idempotencyKey: key, request } = given
  const { providerRoute: provider, metadata = null } = request
  const returnUrl = request.returnUrl === undefined ? null : absoluteReturnUrl(request.returnUrl)
  const digest = fingerprint({ ...request, returnUrl })
  const claim = { merchantId, scope: 'POST /v1/payment-method-tokens', key, fingerprint: digest }
  if (!(await isReplay(ctx, claim))) namedRoute(ctx, provider, 'providerRoute')
  const id = newId(ctx.world, 'pmt', ctx.clock.now())
  const draft = { type: 'tokenization_intent', provider, tokenId: id, metadata } as const
  const { operation, created } = await requestOperation(ctx, claim, draft, (tx, accepted) =>
    begin(ctx, tx, accepted, { ...request, returnUrl }),
  )
  const begun = await getToken(ctx, operation)
  const token = begun.setupUrl === null && begun.status === 'pending' ? await openPage(ctx, begun) : begun
  return {
    ok: true,
    created: created || begun.setupUrl === null,
    operation: presentOperation(await rereadOperation(ctx, operation)),
    token: presentToken(token),
    setupUrl: token.setupUrl ?? savingReturnUrl(ctx, token.id),
  }
}

async function begin(
  ctx: Context,
  tx: Tx,
  operation: OperationRecord,
  request: Omit<CreateTokenizationIntentRequest, 'returnUrl'> & { returnUrl: string | null },
): Promise<void> {
  const { merchantId, provider, createdAt: now, tokenId: id } = operation
  if (id === null) throw new Error(`Bug! Operation ${operation.id} is about no token.`)
  await insertSavedMethod(tx, {
    merchantId,
    id,
    provider,
    providerReference: referenceOf(id),
    operationId: operation.id,
    customerConsentId: request.customerConsentId,
    returnUrl: request.returnUrl,
    customer: request.customer ?? null,
    metadata: request.metadata ?? null,
    expiresAt: new Date(now.getTime() + ctx.config.sessionTtlSeconds * 1000),
    dueAt: firstQuestionAt(ctx, now),
    createdAt: now,
  })
  await applyOperationIn(ctx, tx, operation, { to: 'processing', cause: 'request', dueAt: null })
}

/** Nothing is saved by opening a page, so whoever finds it missing opens it, and the first to be noted stands. */
async function openPage(ctx: Context, token: SavedMethodRecord): Promise<SavedMethodRecord> {
  const answer = await askForPage(ctx, token)
  if (answer.kind === 'redirect')
    return openSavedMethod(ctx.db, token, { setupUrl: answer.url, state: answer.state })
  const cause = new Error(answer.message)
  throw new AppError('provider_unavailable', { retryAfterSeconds: RETRY_AFTER_SECONDS, cause })
}

async function askForPage(ctx: Context, token: SavedMethodRecord): Promise<SavingResult> {
  const route = ctx.routes[token.provider]
  if (!isReady(route) || !route.driver.saveToken) return { kind: 'unknown', message: NOT_READY }
  const merchant = await findMerchantCached(ctx, token.merchantId)
  const { providerReference: reference, expiresAt, customer, metadata } = token
  const saving = {
    reference,
    expiresAt,
    customer,
    metadata,
    merchantName: merchant?.name ?? '',
    returnUrl: savingReturnUrl(ctx, token.id),
  }
  try {
    return await within(SAVE_TIMEOUT_MS, route.driver.saveToken(providerCall(ctx, route), saving))
  } catch (error) {
    return { kind: 'unknown', message: String(error) }
  }
}

/**
 * Gives up a saved method. From now on nothing is charged to it; a worker tells the provider. One that is not there any more
 * is given up all the same.
 * @throws AppError token_not_found, operation_disabled, operation_not_configured
 */
export async function revokeToken(
  ctx: Context,
  {
    merchantId,
    tokenId,
    idempotencyKey: key,
  }: { merchantId: string; tokenId: string; idempotencyKey: string },
): Promise<TokenRevocationResponse> {
  const token = await findSavedMethod(ctx.db, merchantId, tokenId)
  if (!token) throw new AppError('token_not_found')
  const scope = `DELETE /v1/payment-method-tokens/${tokenId}`
  const claim = { merchantId, scope, key, fingerprint: fingerprint({}) }
  const draft = { type: 'token_revoke', provider: token.provider, tokenId } as const
  const { operation, created } = await requestOperation(ctx, claim, draft, async (tx, accepted) => {
    const revoked = await applyTokenIn(ctx, tx, token, {
      to: 'revoked',
      detail: 'revoked before it was saved',
    })
    if (revoked.changed) return wakeSubscriptionsOfToken(tx, { merchantId, tokenId }, ctx.clock.now())
    const detail = `there is nothing to revoke: the token is ${revoked.token.status}`
    const change = { cause: 'request', dueAt: null, detail } as const
    await applyOperationIn(ctx, tx, accepted, { to: 'processing', ...change })
    await applyOperationIn(ctx, tx, accepted, { to: 'succeeded', ...change })
  })
  return {
    ok: true,
    created,
    operation: presentOperation(await rereadOperation(ctx, operation)),
    token: presentToken(await getToken(ctx, operation)),
  }
}

async function getToken(
  ctx: Context,
  { id, merchantId, tokenId }: OperationRecord,
): Promise<SavedMethodRecord> {
  const token = await findSavedMethod(ctx.db, merchantId, tokenId ?? '')
  if (!token) throw new Error(`Bug! Operation ${id} is about the token ${tokenId}, which is not there.`)
  return token
}

/** The contract's view: of the card only what its owner knows it by. */
export function presentToken(record: SavedMethodRecord): PaymentMethodToken {
  const { id, provider: providerRoute, status, customerConsentId, customer, metadata, card } = record
  return {
    id,
    providerRoute,
    status,
    customerConsentId,
    ...(customer && { customer }),
    ...(metadata && { metadata }),
    ...(card && { card }),
    expiresAt: record.expiresAt.toISOString(),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}
