/** One subscription: what was charged, what comes next, and why it stopped. */
import { may } from '../../acts/policy.ts'
import { getSubscriptionHistory, type SubscriptionHistory } from '../../operator/subscription-history.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { findSavedMethodById } from '../../storage/saved-methods/saved-methods.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { backTo, whoMay, wideScreen } from '../page-parts.ts'
import { factList, momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf } from '../world.ts'
import { termsText } from './sentence.ts'

const CHARGES_MAX = 24

/** Returns the subscription. One of another merchant is not found either. @throws AppError not_found, subscription_not_found */
export async function findOwnSubscription(visit: OwnVisit) {
  const view = await shopOf(visit)
  const { ctx, merchantId, path } = view
  const id = visit.params.subscription ?? ''
  const history = await getSubscriptionHistory(ctx, id, { merchantId, chargesMax: CHARGES_MAX })
  return { view, history, path: `${path}/subscriptions/${id}` }
}

export const subscription: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/subscriptions/:subscription',
  needs: 'subscription list',
  async handle(visit) {
    const { locale, query, user } = visit
    const { view, history, path } = await findOwnSubscription(visit)
    const { record, waitsFor } = history
    const isOver = record.status === 'cancelled'
    const title = record.description
    const notice = query.done === 'cancelled' && isOver ? translate(locale, 'subscriptionCancelled') : null
    const body = html`<p class="sentence">${termsText(locale, record, view.timeZone)}</p>
      ${waitsFor === null ? null : html`<p>${translate(locale, 'renewalsWait')}</p>`}
      ${await factsOf(locale, view, history)}
      ${isOver ? null : html`<h2>${translate(locale, 'canBeDone')}</h2>`}
      ${isOver ? null : may(user, 'subscription cancel') ? html`<p><a class="button quiet" href=${`${path}/cancel`}>${translate(locale, 'cancelSubscription')}</a></p>` : whoMay(locale, 'subscription cancel')}
      <h2>${translate(locale, 'whatWasCharged')}</h2>
      ${chargesOf(locale, view, history)}
      ${backTo(`${view.path}/subscriptions`, translate(locale, 'subscriptionsTitle'))}`
    return wideScreen({ title, body, notice })
  },
}

async function factsOf(
  locale: Locale,
  { ctx, timeZone }: ShopView,
  { record, view }: SubscriptionHistory,
): Promise<Markup> {
  const method = await findSavedMethodById(ctx.db, record.tokenId)
  const { card = null, customer } = method ?? {}
  const at = (iso: string) => momentText(iso, locale, timeZone)
  return factList([
    [translate(locale, 'status'), translate(locale, `subscription_${record.status}`)],
    [translate(locale, 'buyer'), customer?.name ?? customer?.email],
    [translate(locale, 'savedCard'), card && `${card.brand} ···· ${card.last4}`],
    [
      translate(locale, 'periodNow'),
      record.status === 'cancelled'
        ? null
        : `${view.currentPeriod}: ${at(view.currentPeriodStart)} – ${at(view.currentPeriodEnd)}`,
    ],
    [translate(locale, 'ownNumber'), record.merchantSubscriptionId],
    [translate(locale, 'beganAt'), momentText(record.createdAt, locale, timeZone)],
    [translate(locale, 'subscriptionId'), record.id],
  ])
}

/** The newest first. Each leads to its payment. */
function chargesOf(locale: Locale, { world, timeZone }: ShopView, { charges }: SubscriptionHistory): Markup {
  if (charges.length === 0) return html`<p>${translate(locale, 'nothingCharged')}</p>`
  return html`<ul class="rows">
      ${charges.toReversed().map(
        ({ period, attempt, state, createdAt, paymentId }) => html`<li>
          <a href=${`/${world}/payments/${paymentId}`} class="row">
            <strong>${translate(locale, 'chargeOfPeriod', { period: String(period) })}</strong>
            <span>${translate(locale, `charge_${state}`)}</span>
            <span class="hint">${momentText(createdAt, locale, timeZone)}${attempt > 1 ? ` · ${translate(locale, 'chargeAttempt', { attempt: String(attempt) })}` : ''}</span>
          </a>
        </li>`,
      )}
    </ul>
    ${charges.length === CHARGES_MAX ? html`<p class="hint">${translate(locale, 'chargesCut', { count: CHARGES_MAX })}</p>` : null}`
}
