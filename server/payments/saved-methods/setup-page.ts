/**
 * Opens the provider's page on which a buyer saves a method.
 * Rule: one request at a time opens it. Concurrent requests with the same key wait for that one. If its process dies, its claim
 * ends, and the next request goes on.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { limitsOfCall } from '../../accounts/call-timeouts.ts'
import { findAccount } from '../../accounts/choice.ts'
import { isOfAccount } from '../../accounts/refusal.ts'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { referenceOf } from '../../id.ts'
import { findShownName } from '../../merchants/branding.ts'
import { translate } from '../../messages/translate.ts'
import type { SavingResult } from '../../providers/driver.ts'
import {
  claimSavedMethodOpening,
  endSavedMethodOpening,
  findSavedMethod,
  openSavedMethod,
  type SavedMethodRecord,
} from '../../storage/saved-methods/saved-methods.ts'
import { sendToProvider, type Unanswered, wantedPauseMs } from '../attempts/send-to-provider.ts'
import { callbackUrlOf } from '../provider-call.ts'
import { mayBeHandedOut } from '../restored.ts'
import { localeIn } from '../view.ts'

const RETRY_AFTER_SECONDS = 5
/** How long a request waits for a concurrent request with the same key. */
const CONCURRENT_WAIT_MS = 10_000
const CONCURRENT_POLL_MS = 25

/** `isOpener`: this request has opened the page. */
export type OpenedPage = { method: SavedMethodRecord; isOpener: boolean }

/** Returns our own address, to which the provider sends the buyer back. The merchant's address is never given to the provider. */
export function savingReturnUrl(ctx: { baseUrl: string }, tokenId: string): string {
  return `${ctx.baseUrl}/payment-method-tokens/${encodeURIComponent(tokenId)}/return`
}

/** Returns when a claim to open a page ends that is made now. */
export function openingEnd(ctx: Context): Date {
  return new Date(ctx.clock.now().getTime() + leaseMs(ctx))
}

function leaseMs({ config }: Context): number {
  return config.attemptLeaseSeconds * 1000
}

/**
 * Opens the page. The caller has the claim.
 * @throws AppError provider_unavailable; the claim has then ended
 */
export async function openPage(ctx: Context, claimed: SavedMethodRecord): Promise<OpenedPage> {
  const result = await requestPage(ctx, claimed)
  if (result.kind === 'redirect') {
    const method = await openSavedMethod(ctx.db, claimed, { setupUrl: result.url, state: result.state })
    return { method, isOpener: true }
  }
  await endSavedMethodOpening(ctx.db, claimed)
  if (result.kind === 'refused') throw refusedSaving(result)
  const cause = new Error(result.message)
  const wantedSeconds = Math.ceil(wantedPauseMs(result) / 1_000)
  throw new AppError('provider_unavailable', {
    retryAfterSeconds: Math.max(RETRY_AFTER_SECONDS, wantedSeconds),
    cause,
  })
}

/** Returns the error for a saving that the provider refuses, and that a repetition does not help. */
function refusedSaving({ refusal, message }: Extract<SavingResult, { kind: 'refused' }>): AppError {
  return new AppError('provider_unavailable', {
    message: isOfAccount({ refusal })
      ? translate('en', 'errors.saving.account')
      : translate('en', 'errors.saving.request'),
    hint: translate('en', 'errors.saving.hint'),
    retryable: false,
    cause: new Error(message),
  })
}

/**
 * Waits until the request that has the claim has opened the page. If that request fails or its claim ends, opens the page instead.
 * @throws AppError provider_unavailable; request_in_progress when the other request takes too long
 */
export async function awaitPage(ctx: Context, known: SavedMethodRecord): Promise<OpenedPage> {
  const deadline = performance.now() + CONCURRENT_WAIT_MS
  let method = known
  while (performance.now() < deadline) {
    if (method.setupUrl !== null || method.status !== 'pending') return { method, isOpener: false }
    const claim = { now: ctx.clock.now(), until: openingEnd(ctx) }
    const isFree = method.leaseUntil === null || method.leaseUntil <= claim.now
    const claimed = isFree ? await claimSavedMethodOpening(ctx.db, method, claim) : null
    if (claimed) return openPage(ctx, claimed)
    await sleep(CONCURRENT_POLL_MS)
    method = (await findSavedMethod(ctx.db, known.merchantId, known.id)) ?? method
  }
  throw new AppError('request_in_progress', { retryAfterSeconds: 2 })
}

async function requestPage(ctx: Context, method: SavedMethodRecord): Promise<SavingResult | Unanswered> {
  const account = await findAccount(ctx, method.accountId)
  const saveToken = account?.driver.saveToken
  if (!account || !saveToken)
    return { kind: 'unknown', message: `the provider account ${method.accountId} cannot save cards now` }
  // Our reference at the provider is the saved method's id without its prefix.
  const { providerReference: reference, expiresAt, customer, metadata, saving: paid } = method
  const saving = {
    reference,
    paymentReference: referenceOf(method.id),
    expiresAt,
    customer,
    metadata,
    ...((await mayBeHandedOut(ctx, method.createdAt)) && { mayBeHandedOut: true as const }),
    ...(paid && { price: { amountMinor: paid.amountMinor, currency: paid.currency } }),
    merchantName: await findShownName(ctx, method.merchantId),
    language: localeIn(metadata),
    returnUrl: savingReturnUrl(ctx, method.id),
    callbackUrl: callbackUrlOf(ctx, account),
  }
  const limits = limitsOfCall(account, 'opening')
  // The call ends before the claim does, so that nobody else opens the page meanwhile.
  const calling = {
    lane: 'creation' as const,
    ...limits,
    timeoutMs: Math.min(limits.timeoutMs, leaseMs(ctx) / 2),
    about: method.id,
    right: 'tokenization' as const,
  }
  return sendToProvider(ctx, account, calling, (call) => saveToken(call, saving))
}
