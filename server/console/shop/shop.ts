/** One shop: the way to everything that belongs to it. */
import { type Act, may } from '../../acts/policy.ts'
import { html } from '../../pages/html.ts'
import type { ConsolePage } from '../page.ts'
import { type ConsoleKey, say, sayAny } from '../words/say.ts'
import { shopOf } from '../world.ts'

/** Each leads on from the shop's own address. */
const PARTS: readonly { title: ConsoleKey; needs: Act; end: string }[] = [
  { title: 'eventsTitle', needs: 'event list', end: 'events' },
  { title: 'ordersTitle', needs: 'order list', end: 'orders' },
  { title: 'productsTitle', needs: 'merchant show', end: 'products' },
  { title: 'shareTitle', needs: 'merchant show', end: 'share' },
  { title: 'brandTitle', needs: 'merchant show', end: 'brand' },
  { title: 'domainsTitle', needs: 'merchant show', end: 'domains' },
  { title: 'bankTitle', needs: 'merchant show', end: 'bank' },
  { title: 'noticesTitle', needs: 'merchant show', end: 'notices' },
  { title: 'liveTitle', needs: 'merchant show', end: 'live' },
  { title: 'subscriptionsTitle', needs: 'subscription list', end: 'subscriptions' },
  { title: 'totalsTitle', needs: 'payment history', end: 'totals' },
  { title: 'settingsTitle', needs: 'merchant show', end: 'settings' },
]

export const shop: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant',
  needs: 'merchant show',
  async handle(visit) {
    const { locale, user } = visit
    const { merchant, path } = await shopOf(visit)
    const title = merchant.name
    const parts = PARTS.filter(({ needs }) => may(user, needs))
    const body = html`<h1>${title}</h1>
      <ul class="rows">
        ${parts.map(
          (part) =>
            html`<li><a href=${`${path}/${part.end}`} class="row"><strong>${sayAny(locale, part.title)}</strong></a></li>`,
        )}
      </ul>
      <dl class="facts">
        <div><dt>${say(locale, 'merchantId')}</dt><dd>${merchant.id}</dd></div>
      </dl>`
    return { kind: 'screen', title, body }
  },
}
