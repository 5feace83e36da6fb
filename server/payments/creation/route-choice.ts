/**
 * Between which routes the buyer of a payment chooses.
 * Rule: a route whose provider is away or refuses the account is not offered.
 * Rule: only the merchant's setting offers routes, never a request. A payment that names its route offers no choice.
 */
import { findStopped, listUsable } from '../../accounts/choice.ts'
import { recallHealth, TRIED_AGAIN_AFTER_MS } from '../../accounts/health.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { findMerchantRoutesCached, type MerchantRoute } from '../../merchants/routes.ts'
import type { Account } from '../../providers/registry.ts'
import type { AttemptedPayment, Payment } from '../../storage/payments/payment.ts'
import { takesAmount } from '../account.ts'

type Payer = Pick<Payment, 'merchantId' | 'currency' | 'amountMinor'>

/**
 * `first`: the route of a payment that names none; undefined if the merchant has no setting. `offered`: the routes of the setting on
 * which the merchant can take this currency and amount now. `isChoice`: the setting has several routes.
 */
export type RouteChoice = { first: ProviderRoute | undefined; offered: MerchantRoute[]; isChoice: boolean }

export async function findRouteChoice(ctx: Context, payer: Payer): Promise<RouteChoice> {
  const { merchantId, currency } = payer
  const allowed = await findMerchantRoutesCached(ctx, merchantId)
  const isStopped = (await findStopped(ctx, merchantId)) !== null
  const usable = await Promise.all(
    allowed.map(async ({ route }) =>
      (await listUsable(ctx, merchantId, route)).find(
        ({ account, currencies }) =>
          currencies.includes(currency) &&
          takesAmount(account, payer) &&
          recallHealth(ctx, account.id).state !== 'away',
      ),
    ),
  )
  const offered = isStopped ? [] : allowed.flatMap((each, index) => withMark(each, usable[index]))
  return { first: (offered[0] ?? allowed[0])?.route, offered, isChoice: allowed.length > 1 }
}

/** Returns nothing for a route without an account. The merchant's own mark comes before that of the driver. */
function withMark(route: MerchantRoute, found: { account: Account } | undefined): MerchantRoute[] {
  if (!found) return []
  const { mark } = found.account.driver
  return [{ ...(mark && { mark }), ...route }]
}

/**
 * What a buyer comes to next: the provider's page for cards, a wallet, the details of a bank transfer, what the shop itself has told its
 * buyers, or the choice between several routes.
 */
export type LeadsTo = 'provider' | 'wallet' | 'transfer' | 'told' | 'choice'

/**
 * Returns what the buyer of a new payment comes to, and the routes if there is a choice. `provider`: the route that the sale names,
 * if it names one.
 */
export async function findWhereItLeads(
  ctx: Context,
  payer: Payer,
  provider: ProviderRoute | null,
): Promise<{ leadsTo: LeadsTo; routes: readonly MerchantRoute[] }> {
  const { first, offered } = provider ? { first: provider, offered: [] } : await findRouteChoice(ctx, payer)
  if (offered.length > 1) return { leadsTo: 'choice', routes: offered }
  const usable = await listUsable(ctx, payer.merchantId, first ?? ctx.config.defaultProvider)
  const found = usable.find(({ currencies }) => currencies.includes(payer.currency))
  return { leadsTo: leadsTo(found?.account ?? null), routes: [] }
}

/** The account decides, and not the name of its slot: only a transfer to a known number has details to read. */
export function leadsTo(account: Pick<Account, 'driver' | 'settings'> | null): LeadsTo {
  const transfer = account?.driver.transfer?.(account.settings)
  if (!transfer) return account?.driver.mark === 'wallet' ? 'wallet' : 'provider'
  return transfer.account ? 'transfer' : 'told'
}

/**
 * Returns the routes between which this payment's buyer chooses now: by the setting as it is now, because a route that the merchant
 * has given up should take no more payments. Without a setting the payment keeps its route, and nothing is to be chosen. The route
 * that has just failed to open an order is left out if there is another one.
 */
export async function listChoices(ctx: Context, payment: AttemptedPayment): Promise<MerchantRoute[]> {
  if (!payment.buyerChooses) return []
  const { offered } = await findRouteChoice(ctx, payment)
  const { state, provider, begunAt } = payment.attempt
  const hasJustFailed =
    state === 'refused' && ctx.clock.now().getTime() - begunAt.getTime() < TRIED_AGAIN_AFTER_MS
  const others = offered.filter(({ route }) => route !== provider)
  return hasJustFailed && others.length > 0 ? others : offered
}
