/**
 * Between which routes the buyer of a payment chooses.
 * Rule: only the merchant's setting offers routes, never a request. A payment that names its route offers no choice.
 */
import { listUsable } from '../../accounts/choice.ts'
import type { Context } from '../../context.ts'
import type { ProviderRoute } from '../../contract/fields.ts'
import { findMerchantRoutesCached, type MerchantRoute } from '../../merchants/routes.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { takesAmount } from '../account.ts'

type Payer = Pick<Payment, 'merchantId' | 'currency' | 'amountMinor'>

/**
 * `first`: the route of a payment that names none; undefined if the merchant has no setting. `offered`: the routes of the setting on
 * which the merchant can take this currency and amount now.
 */
export type RouteChoice = { first: ProviderRoute | undefined; offered: MerchantRoute[] }

export async function findRouteChoice(ctx: Context, payer: Payer): Promise<RouteChoice> {
  const { merchantId, currency } = payer
  const allowed = await findMerchantRoutesCached(ctx, merchantId)
  const usable = await Promise.all(
    allowed.map(async ({ route }) =>
      (await listUsable(ctx, merchantId, route)).some(
        ({ account, currencies }) => currencies.includes(currency) && takesAmount(account, payer),
      ),
    ),
  )
  const offered = allowed.filter((_, index) => usable[index])
  return { first: (offered[0] ?? allowed[0])?.route, offered }
}

/**
 * Returns the routes between which this payment's buyer chooses now: by the setting as it is now, because a route that the merchant
 * has given up should take no more payments. Without a setting the payment keeps its route, and nothing is to be chosen.
 */
export async function listChoices(
  ctx: Context,
  payment: Payer & Pick<Payment, 'buyerChooses'>,
): Promise<MerchantRoute[]> {
  return payment.buyerChooses ? (await findRouteChoice(ctx, payment)).offered : []
}
