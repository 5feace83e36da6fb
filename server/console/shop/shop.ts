/** The page of one shop: links to everything that belongs to it. */
import { type Act, may } from '../../acts/policy.ts'
import { html } from '../../pages/html.ts'
import type { ConsolePage } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { shopOf } from '../world.ts'

type Part = { title: ConsoleKey; needs: Act; end: string }

/** Grouped by task, the daily work first. `end`: the part's path below the address of the shop. */
const GROUPS: readonly { title: ConsoleKey; parts: readonly Part[] }[] = [
  {
    title: 'shopDaily',
    parts: [
      { title: 'ordersTitle', needs: 'order list', end: 'orders' },
      { title: 'productsTitle', needs: 'merchant show', end: 'products' },
      { title: 'shareTitle', needs: 'merchant show', end: 'share' },
      { title: 'subscriptionsTitle', needs: 'subscription list', end: 'subscriptions' },
      { title: 'totalsTitle', needs: 'payment history', end: 'totals' },
    ],
  },
  {
    title: 'shopAbout',
    parts: [
      { title: 'liveTitle', needs: 'merchant show', end: 'live' },
      { title: 'brandTitle', needs: 'merchant show', end: 'brand' },
      { title: 'domainsTitle', needs: 'merchant show', end: 'domains' },
      { title: 'bankTitle', needs: 'merchant show', end: 'bank' },
      { title: 'noticesTitle', needs: 'merchant show', end: 'notices' },
    ],
  },
  {
    title: 'shopTechnical',
    parts: [
      { title: 'eventsTitle', needs: 'event list', end: 'events' },
      { title: 'settingsTitle', needs: 'merchant show', end: 'settings' },
    ],
  },
]

export const shop: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant',
  needs: 'merchant show',
  async handle(visit) {
    const { locale, user } = visit
    const { merchant, path } = await shopOf(visit)
    const partRow = ({ title, end }: Part) =>
      html`<li><a href=${`${path}/${end}`} class="row"><strong>${translateAny(locale, title)}</strong></a></li>`
    const groups = GROUPS.flatMap(({ title, parts }) => {
      const own = parts.filter(({ needs }) => may(user, needs))
      return own.length === 0 ? [] : [{ title, own }]
    })
    const body = html`${groups.map(
      ({ title, own }) => html`<section class="group">
          <h2>${translateAny(locale, title)}</h2>
          <ul class="rows places">${own.map(partRow)}</ul>
        </section>`,
    )}
      <dl class="facts">
        <div><dt>${translate(locale, 'merchantId')}</dt><dd>${merchant.id}</dd></div>
      </dl>`
    return wideScreen({ title: merchant.name, body })
  },
}
