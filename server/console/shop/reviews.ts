/** What shops have asked for, and somebody who runs the service decides: addresses and short names. */
import { listAddresses } from '../../merchants/address.ts'
import { listMerchants } from '../../merchants/merchant.ts'
import { listWaitingReviews } from '../../operator/shop/reviews.ts'
import { html } from '../../pages/html.ts'
import { formatMoment } from '../../pages/words/locale.ts'
import type { ConsolePage } from '../page.ts'
import { say } from '../words/say.ts'
import { viewOf } from '../world.ts'
import { reviewForms } from './domains.ts'
import { nameCard } from './share.ts'

const reviews: ConsolePage = {
  method: 'get',
  path: '/:world/reviews',
  needs: 'origin waiting',
  async handle(visit) {
    const { locale } = visit
    const { ctx, world, timeZone, merchantId: own } = await viewOf(visit)
    const [all, addresses, merchants] = await Promise.all([
      listWaitingReviews(ctx),
      listAddresses(ctx, own ?? undefined),
      listMerchants(ctx),
    ])
    const requests = all.filter(({ merchantId }) => own === null || merchantId === own)
    const names = addresses.filter(({ state }) => state === 'asked')
    const shopName = (id: string) => merchants.find((each) => each.id === id)?.name ?? id
    const pathOf = (id: string) => `/${world}/shops/${id}`
    const title = say(locale, 'reviewsTitle')
    const body = html`<h1>${title}</h1>
      ${requests.length + names.length === 0 ? html`<p class="lead">${say(locale, 'reviewsNone')}</p>` : html`<p class="lead">${say(locale, 'reviewsLead')}</p>`}
      <ul class="cards">
        ${requests.map(
          ({ merchantId, origin, askedAt }) => html`<li class="card">
            <p class="address"><strong><a href=${origin} rel="noreferrer nofollow"><bdi>${origin}</bdi></a></strong></p>
            <p><a href=${`${pathOf(merchantId)}/domains`}><bdi>${shopName(merchantId)}</bdi></a> <span class="hint">${formatMoment(askedAt.toISOString(), locale, { timeZone })}</span></p>
            ${reviewForms(visit, { path: pathOf(merchantId), origin })}
          </li>`,
        )}
      </ul>
      ${names.length > 0 ? html`<h2>${say(locale, 'shareShort')}</h2>` : null}
      <ul class="cards">
        ${names.map((each) => html`${nameCard(visit, { ctx, path: pathOf(each.merchantId) }, each)}`)}
      </ul>`
    return { kind: 'screen', title, body }
  },
}

export const REVIEW_PAGES: readonly ConsolePage[] = [reviews]
