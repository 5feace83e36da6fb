/** What shops have asked for, and somebody who runs the service decides: addresses of sites and public pages. */
import { listWaitingReviews } from '../../operator/shop/reviews.ts'
import { html } from '../../pages/html.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import { PAGE, positionOf } from '../long-list.ts'
import type { ConsolePage } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { addressWith, moreLink } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { viewOf } from '../world.ts'
import { reviewForms } from './domains.ts'

const reviews: ConsolePage = {
  method: 'get',
  path: '/:world/reviews',
  needs: 'origin waiting',
  async handle(visit) {
    const { locale, query } = visit
    const { ctx, world, timeZone, merchantId } = await viewOf(visit)
    const after = positionOf(query.after)
    const { requests, next } = await listWaitingReviews(ctx, { merchantId, after, limit: PAGE })
    const shops = await listMerchantNames(
      ctx.db,
      requests.map((each) => each.merchantId),
    )
    const pathOf = (id: string) => `/${world}/shops/${id}`
    const title = translate(locale, 'reviewsTitle')
    const body = html`${requests.length === 0 ? html`<p class="lead">${translate(locale, 'reviewsNone')}</p>` : html`<p class="lead">${translate(locale, 'reviewsLead')}</p>`}
      <ul class="cards">
        ${requests.map(
          ({ merchantId: of, origin, askedAt }) => html`<li class="card">
            <p class="address"><strong><a href=${origin} rel="noreferrer nofollow"><bdi>${origin}</bdi></a></strong></p>
            <p><a href=${`${pathOf(of)}/domains`}><bdi>${shops.get(of) ?? of}</bdi></a> <span class="hint">${formatMoment(askedAt.toISOString(), locale, { timeZone })}</span></p>
            ${reviewForms(visit, { path: pathOf(of), origin })}
          </li>`,
        )}
      </ul>
      ${moreLink(locale, next && addressWith(`/${world}/reviews`, { after: next }))}`
    return wideScreen({ title, body })
  },
}

export const REVIEW_PAGES: readonly ConsolePage[] = [reviews]
