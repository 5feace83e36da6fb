/** The subscriptions of a shop, the newest first. */
import { SUBSCRIPTION_STATUSES } from '../../contract/subscription.ts'
import { listSubscriptionPage, type SubscriptionRecord } from '../../operator/subscription-history.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { ConsolePage } from '../page.ts'
import { choiceTags, wideScreen } from '../page-parts.ts'
import { addressWith, momentText, moreLink } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf } from '../world.ts'
import { priceText } from './sentence.ts'

const PAGE = 25

export const subscriptions: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/subscriptions',
  needs: 'subscription list',
  async handle(visit) {
    const { locale, query } = visit
    const view = await shopOf(visit)
    const { ctx, merchantId, merchant, path } = view
    const status = SUBSCRIPTION_STATUSES.find((each) => each === query.status)
    const after = query.after || undefined
    const { subscriptions: found, next } = await listSubscriptionPage(ctx, {
      merchantId,
      status,
      after,
      limit: PAGE,
    })
    const title = translate(locale, 'subscriptionsTitle')
    const own = `${path}/subscriptions`
    const tags = [
      [undefined, translate(locale, 'allSubscriptions')] as const,
      ...SUBSCRIPTION_STATUSES.map((each) => [each, translate(locale, `subscription_${each}`)] as const),
    ]
    const body = html`${choiceTags(tags, status, (each) => addressWith(own, { status: each }))}
      ${found.length === 0 ? html`<p class="lead">${translate(locale, next ? 'listNoneSoFar' : status ? 'subscriptionsNoneSo' : 'subscriptionsNone')}</p>` : null}
      <ul class="rows">${found.map((each) => row(locale, view, each))}</ul>
      ${moreLink(locale, next && addressWith(own, { status, after: next }))}`
    return wideScreen({ title, body, back: [path, merchant.name] })
  },
}

function row(locale: Locale, { path, timeZone }: ShopView, each: SubscriptionRecord): Markup {
  const { id, status, description, merchantSubscriptionId, nextChargeAt } = each
  const next = momentText(nextChargeAt, locale, timeZone)
  return html`<li>
    <a href=${`${path}/subscriptions/${id}`} class="row" data-status=${status}>
      <strong>${priceText(locale, each)}</strong>
      <span>${translate(locale, `subscription_${status}`)}</span>
      <span class="hint">${description} · ${merchantSubscriptionId}${next ? ` · ${translate(locale, 'nextCharge')}: ${next}` : ''}</span>
    </a>
  </li>`
}
