/**
 * Saved methods, as a merchant requests them. An intent sends the buyer to the provider's page, where the buyer saves a card. A
 * revocation ends the saved method. The contract calls a saved method a payment-method token.
 */
import { chooseAccount } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import type {
  CreateTokenizationIntentRequest,
  PaymentMethodToken,
  TokenizationResponse,
  TokenRevocationResponse,
} from '../../contract/payment-method-token.ts'
import { AppError } from '../../errors.ts'
import { idNamed, referenceOf } from '../../id.ts'
import type { Account } from '../../providers/registry.ts'
import type { Tx } from '../../storage/db.ts'
import type { OperationRecord } from '../../storage/payments/operations.ts'
import { wakeSubscriptionsOfToken } from '../../storage/payments/subscriptions.ts'
import {
  findSavedMethod,
  insertSavedMethod,
  type SavedMethodRecord,
} from '../../storage/saved-methods/saved-methods.ts'
import { insertSavingMoney } from '../../storage/saved-methods/saving-money.ts'
import { notReady, refuseBlocked } from '../account.ts'
import { allocateReference, deriveName } from '../attempts/reference.ts'
import { fingerprint } from '../idempotency.ts'
import { presentOperation } from '../operation.ts'
import { applyOperationIn } from '../operation-change.ts'
import {
  type Asker,
  callerInHistory,
  claimOf,
  isReplay,
  requestOperation,
  rereadOperation,
} from '../operation-request.ts'
import { providerCall } from '../provider-call.ts'
import { firstQuestionAt } from '../question-schedule.ts'
import { normalizedUrl } from '../return-url.ts'
import { applySavedMethodIn } from './change.ts'
import { awaitPage, openingEnd, openPage, savingReturnUrl } from './setup-page.ts'

/**
 * Opens the provider's page on which a buyer saves a payment method, or replays it.
 * @throws AppError provider_route_not_ready, operation_disabled, operation_not_configured,
 *   idempotency_key_reused; provider_unavailable, after which a request with the same key continues the same intent;
 *   request_in_progress when a concurrent request with the same key takes too long
 */
export async function createTokenizationIntent(
  ctx: Context,
  given: {
    merchantId: string
    idempotencyKey: string
    request: CreateTokenizationIntentRequest
    /** Absent: the account of the route that keeps the merchant's methods. */
    account?: Account
  },
): Promise<TokenizationResponse> {
  const { merchantId, idempotencyKey: key, request } = given
  const { providerRoute: provider, metadata = null } = request
  const { returnUrl = null } = request
  const digest = fingerprint({ ...request, returnUrl: normalizedUrl(returnUrl) })
  const claim = { merchantId, scope: 'POST /v1/payment-method-tokens', key, fingerprint: digest }
  const isKnown = await isReplay(ctx, claim)
  const account = isKnown ? null : (given.account ?? (await accountForSaving(ctx, merchantId, provider)))
  const name = await deriveName(ctx, [merchantId, claim.scope, key])
  const id = idNamed(ctx.world, 'pmt', merchantId, ctx.clock.now(), name)
  const accountId = account?.id ?? null
  const draft = { type: 'tokenization_intent', provider, accountId, tokenId: id, metadata } as const
  const { operation, created } = await requestOperation(ctx, claim, draft, (tx, accepted) =>
    insertPending(ctx, tx, { operation: accepted, account }, { ...request, returnUrl }),
  )
  const stored = await getSavedMethod(ctx, operation)
  const { method, isOpener } = created ? await openPage(ctx, stored) : await awaitPage(ctx, stored)
  return {
    ok: true,
    created: isOpener,
    operation: presentOperation(await rereadOperation(ctx, operation)),
    token: presentSavedMethod(method),
    setupUrl: method.setupUrl ?? savingReturnUrl(ctx, method.id),
  }
}

/**
 * Returns the account that keeps the method. If the merchant may use several, it is the first that can save methods.
 * @throws AppError provider_route_not_ready; provider_unavailable if an own account of the merchant cannot be used
 */
async function accountForSaving(ctx: Context, merchantId: string, route: ProviderRoute): Promise<Account> {
  const suits = ({ driver }: Account) => driver.saveToken !== undefined
  const wanted = { merchantId, route }
  const account = (await chooseAccount(ctx, { ...wanted, suits })) ?? (await chooseAccount(ctx, wanted))
  if (account) return account
  await refuseBlocked(ctx, wanted)
  throw notReady(route, 'providerRoute')
}

async function insertPending(
  ctx: Context,
  tx: Tx,
  { operation, account }: { operation: OperationRecord; account: Account | null },
  request: Omit<CreateTokenizationIntentRequest, 'returnUrl'> & { returnUrl: string | null },
): Promise<void> {
  const { merchantId, provider, createdAt: now, tokenId: id } = operation
  if (id === null || account === null)
    throw new Error(`Bug! Operation ${operation.id} has no saved method or no account.`)
  await insertSavedMethod(tx, {
    merchantId,
    id,
    provider,
    accountId: account.id,
    providerReference: await allocateReference(ctx, tx, account, referenceOf(id)),
    operationId: operation.id,
    customerConsentId: request.customerConsentId,
    returnUrl: request.returnUrl,
    customer: request.customer ?? null,
    metadata: request.metadata ?? null,
    expiresAt: new Date(now.getTime() + ctx.config.sessionTtlSeconds * 1000),
    dueAt: firstQuestionAt(ctx, now),
    createdAt: now,
    leaseUntil: openingEnd(ctx),
  })
  const price = account.driver.savingPrice?.(providerCall(ctx, account).settings)
  if (price) await insertSavingMoney(tx, { merchantId, id }, price)
  await applyOperationIn(ctx, tx, operation, { to: 'processing', cause: 'request', dueAt: null })
}

/**
 * Revokes a saved method, or replays the revocation. From now on nothing is charged to the method, and a worker removes it at the
 * provider. Revoking a method that has already ended succeeds at once.
 * @throws AppError token_not_found, operation_disabled, operation_not_configured
 */
export async function revokeToken(
  ctx: Context,
  { tokenId, ...asker }: Asker & { tokenId: string },
): Promise<TokenRevocationResponse> {
  const { merchantId } = asker
  const method = await findSavedMethod(ctx.db, merchantId, tokenId)
  if (!method) throw new AppError('token_not_found')
  const claim = claimOf(asker, `DELETE /v1/payment-method-tokens/${tokenId}`, {})
  const { provider, accountId } = method
  const draft = { type: 'token_revoke', provider, accountId, tokenId } as const
  const { operation, created } = await requestOperation(ctx, claim, draft, async (tx, accepted) => {
    // Subscriptions are locked before their saved method, as a renewal does, so that the two cannot deadlock. One that is
    // created in between is due anyway.
    await wakeSubscriptionsOfToken(tx, { merchantId, tokenId }, ctx.clock.now())
    const revoked = await applySavedMethodIn(ctx, tx, method, {
      to: 'revoked',
      detail: 'revoked before it was saved',
    })
    if (revoked.changed) return
    const { status, dueAt } = revoked.method
    const later = dueAt === null ? '' : '. A card that the provider keeps of it later is removed by itself'
    const detail = `there is nothing to revoke: the token is ${status}${later}`
    const change = { ...callerInHistory(asker), dueAt: null, detail }
    await applyOperationIn(ctx, tx, accepted, { to: 'processing', ...change })
    await applyOperationIn(ctx, tx, accepted, { to: 'succeeded', ...change })
  })
  return {
    ok: true,
    created,
    operation: presentOperation(await rereadOperation(ctx, operation)),
    token: presentSavedMethod(await getSavedMethod(ctx, operation)),
  }
}

async function getSavedMethod(
  ctx: Context,
  { id, merchantId, tokenId }: OperationRecord,
): Promise<SavedMethodRecord> {
  const method = await findSavedMethod(ctx.db, merchantId, tokenId ?? '')
  if (!method)
    throw new Error(`Bug! Operation ${id} names the saved method ${tokenId}, which does not exist.`)
  return method
}

/** Returns the contract's view. Of the card it shows only what its owner recognises it by. */
function presentSavedMethod(record: SavedMethodRecord): PaymentMethodToken {
  const { id, provider: providerRoute, status, customerConsentId, customer, metadata, card } = record
  return {
    id,
    providerRoute,
    status,
    customerConsentId,
    ...(customer && { customer }),
    ...(metadata && { metadata }),
    ...(card && { card }),
    ...(status === 'pending' && { expiresAt: record.expiresAt.toISOString() }),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
  }
}
