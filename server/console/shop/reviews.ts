/** What shops have asked for, and somebody who runs the service decides: addresses and short names. */
import { listWaitingAddresses } from '../../merchants/address.ts'
import { listWaitingReviews } from '../../operator/shop/reviews.ts'
import { html } from '../../pages/html.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import { PAGE, positionOf } from '../long-list.ts'
import type { ConsolePage } from '../page.ts'
import { addressWith, moreLink } from '../parts.ts'
import { say } from '../words/say.ts'
import { viewOf } from '../world.ts'
import { reviewForms } from './domains.ts'
import { nameCard } from './share.ts'

const reviews: ConsolePage = {
  method: 'get',
  path: '/:world/reviews',
  needs: 'origin waiting',
  async handle(visit) {
    const { locale, query } = visit
    const { ctx, world, timeZone, merchantId } = await viewOf(visit)
    const [after, nameAfter] = [positionOf(query.after), positionOf(query.name)]
    const [{ requests, next }, names] = await Promise.all([
      listWaitingReviews(ctx, { merchantId, after, limit: PAGE }),
      listWaitingAddresses(ctx, { merchantId, after: nameAfter, limit: PAGE }),
    ])
    const shops = await listMerchantNames(
      ctx.db,
      requests.map((each) => each.merchantId),
    )
    const own = `/${world}/reviews`
    const pathOf = (id: string) => `/${world}/shops/${id}`
    const isNone = requests.length + names.rows.length === 0 && names.next === null
    const title = say(locale, 'reviewsTitle')
    const body = html`<h1>${title}</h1>
      ${isNone ? html`<p class="lead">${say(locale, 'reviewsNone')}</p>` : html`<p class="lead">${say(locale, 'reviewsLead')}</p>`}
      <ul class="cards">
        ${requests.map(
          ({ merchantId: of, origin, askedAt }) => html`<li class="card">
            <p class="address"><strong><a href=${origin} rel="noreferrer nofollow"><bdi>${origin}</bdi></a></strong></p>
            <p><a href=${`${pathOf(of)}/domains`}><bdi>${shops.get(of) ?? of}</bdi></a> <span class="hint">${formatMoment(askedAt.toISOString(), locale, { timeZone })}</span></p>
            ${reviewForms(visit, { path: pathOf(of), origin })}
          </li>`,
        )}
      </ul>
      ${moreLink(locale, next && addressWith(own, { after: next, name: nameAfter }))}
      ${names.rows.length > 0 || names.next !== null ? html`<h2>${say(locale, 'shareShort')}</h2>` : null}
      <ul class="cards">
        ${names.rows.map((each) => html`${nameCard(visit, { ctx, path: pathOf(each.merchantId) }, each)}`)}
      </ul>
      ${moreLink(locale, names.next && addressWith(own, { after, name: names.next }))}`
    return { kind: 'screen', title, body }
  },
}

export const REVIEW_PAGES: readonly ConsolePage[] = [reviews]
