/**
 * Which provider account a new payment uses.
 * Rule: the errors name no setting, because merchants read them.
 */

import { boundsOf } from '../accounts/amount-bounds.ts'
import {
  chooseAccount,
  findBlockers,
  findRefused,
  findStopped,
  listUsable,
  type Usable,
} from '../accounts/choice.ts'
import { healthOf } from '../accounts/health.ts'
import { refusedAccount } from '../accounts/refusal.ts'
import type { Context } from '../context.ts'
import type { CurrencyCode, ProviderRoute } from '../contract/fields.ts'
import { AppError } from '../errors.ts'
import { translate } from '../messages/translate.ts'
import type { Account } from '../providers/registry.ts'
import { decimalAmount } from './money.ts'

/** What a new payment says about its route. `routeField`: the request's name for the route, used in field errors. */
export type RouteRequest = {
  merchantId: string
  provider: ProviderRoute | undefined
  /** The route of a request that names none; by default that of the service. */
  fallback?: ProviderRoute | undefined
  currency: CurrencyCode
  routeField?: 'provider' | 'providerRoute'
} & AmountRequest

/** `amountField`: the request's name for the amount, used in field errors. For a product it is the field of the product. */
type AmountRequest = { amountMinor: number; amountField?: AmountField }
export type AmountField = 'amountMinor' | 'amount' | 'productId'

/**
 * Returns the account for a new payment, on the route that the request names, else on the fallback or the default route.
 * @throws AppError provider_route_not_ready when the merchant may use no account of the named route; provider_unavailable when
 *   it may use none of the default route, when its own account of the route cannot be used, or when it is paused; provider_route_unsupported when
 *   those that it may use do not accept the currency; validation_failed when the account does not accept the amount.
 */
export async function accountFor(ctx: Context, wish: RouteRequest): Promise<Account> {
  const { merchantId, provider, currency, routeField: field = 'provider' } = wish
  const route = provider ?? wish.fallback ?? ctx.config.defaultProvider
  const account = await chooseAccount(ctx, { merchantId, route, currency })
  if (account) {
    refuseAmount(account, wish)
    return account
  }
  await refuseBlocked(ctx, { merchantId, route, currency })
  const usable = await listUsable(ctx, merchantId, route)
  if (usable.length > 0) throw unsupported(route, usable, provider ? field : 'currency')
  if (provider) throw notReady(route, field)
  throw new AppError('provider_unavailable', {
    retryAfterSeconds: 30,
    hint: translate('en', 'errors.route.defaultNotReady'),
  })
}

/**
 * Throws if the merchant has an own account of the route that cannot be used, or if the provider refuses the deployment's account
 * that the merchant uses. Without a currency any own account counts.
 * @throws AppError provider_unavailable with `retryable: false`
 */
export async function refuseBlocked(
  ctx: Context,
  { merchantId, route, currency }: { merchantId: string; route: ProviderRoute; currency?: CurrencyCode },
): Promise<void> {
  await refuseStopped(ctx, merchantId)
  const blockers = await findBlockers(ctx, merchantId, route)
  const own = currency === undefined ? [...blockers.values()][0] : blockers.get(currency)
  const blocker = own ?? (await findRefused(ctx, merchantId, route))
  if (!blocker) return
  const { record } = blocker
  const { state, reason } = healthOf(blocker)
  const isRetired = record.retiredAt !== null
  if (!isRetired && state === 'refusing')
    throw refusedAccount(new Error(`the account ${record.id} is refused: ${reason}`))
  const why = isRetired ? 'it is retired, and no other own account replaces it' : reason
  throw new AppError('provider_unavailable', {
    message: translate('en', 'errors.route.ownAccount', { route, currency: currency ?? 'none' }),
    hint: translate('en', 'errors.route.ownAccountHint'),
    retryable: false,
    cause: new Error(`the account ${record.id} of the merchant ${merchantId} cannot be used: ${why}`),
  })
}

/** What a merchant reads that takes no new payments. */
export const STOPPED = {
  paused: translate('en', 'errors.merchant.paused'),
  closed: translate('en', 'errors.merchant.closed'),
}

/** @throws AppError provider_unavailable with `retryable: false` if the merchant is paused or closed */
export async function refuseStopped(ctx: Context, merchantId: string): Promise<void> {
  const stopped = await findStopped(ctx, merchantId)
  if (!stopped) return
  throw new AppError('provider_unavailable', {
    message: STOPPED[stopped],
    hint: translate('en', 'errors.merchant.stoppedHint'),
    retryable: false,
  })
}

/** Whether the account's provider takes this amount. */
export function takesAmount(
  account: Pick<Account, 'driver' | 'amountBounds'>,
  { currency, amountMinor }: Pick<RouteRequest, 'currency' | 'amountMinor'>,
): boolean {
  const { smallestMinor, largestMinor } = boundsOf(account, currency)
  return amountMinor >= smallestMinor && amountMinor <= largestMinor
}

/** @throws AppError validation_failed for an amount that the account's provider does not accept */
export function refuseAmount(account: Account, wish: Pick<RouteRequest, 'currency'> & AmountRequest): void {
  if (takesAmount(account, wish)) return
  const { currency, amountField: field = 'amountMinor' } = wish
  const { smallestMinor, largestMinor } = boundsOf(account, currency)
  const [smallest, largest] = [smallestMinor, largestMinor].map((minor) =>
    field === 'amountMinor' ? String(minor) : decimalAmount(minor, currency),
  )
  const reason =
    field === 'productId'
      ? `has a price that the payment provider does not take: it must be from ${smallest} to ${largest} ${currency}`
      : `must be from ${smallest} to ${largest}: the payment provider takes no other amount`
  throw new AppError('validation_failed', { errors: { [field]: reason } })
}

/** Returns the error for a route whose accounts do not accept the currency. */
export function unsupported(
  route: ProviderRoute,
  usable: readonly Pick<Usable, 'currencies'>[],
  field: string,
): AppError {
  const reason = translate('en', 'errors.route.currencies', { route, currencies: unionOf(usable).join(', ') })
  return new AppError('provider_route_unsupported', { message: reason, errors: { [field]: reason } })
}

/** Returns the error for a route on which the merchant may use no account. */
export function notReady(route: ProviderRoute, field: 'provider' | 'providerRoute'): AppError {
  const problem = translate('en', 'errors.route.notReady')
  const hint = translate('en', 'errors.route.notReadyHint')
  return new AppError('provider_route_not_ready', {
    message: `${route} ${problem}`,
    errors: { [field]: problem },
    hint,
  })
}

/** Returns the currencies that at least one of the accounts takes. */
export function unionOf(usable: readonly Pick<Usable, 'currencies'>[]): CurrencyCode[] {
  return [...new Set(usable.flatMap(({ currencies }) => currencies))]
}
