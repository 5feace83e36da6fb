/** The list of shops, for the people of all of them. People of one shop are redirected to it. */
import { shortNumber } from '../../id.ts'
import { html } from '../../pages/html.ts'
import { listMerchantPage } from '../../storage/merchants/merchants.ts'
import { findField, listRequestOf, nextOf, noneOf } from '../long-list.ts'
import type { ConsolePage } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { viewOf } from '../world.ts'

export const shops: ConsolePage = {
  method: 'get',
  path: '/:world/shops',
  needs: 'merchant show',
  async handle(visit) {
    const { locale } = visit
    const { ctx, world, merchantId } = await viewOf(visit)
    if (merchantId !== null) return { kind: 'redirect', to: `/${world}/shops/${merchantId}` }
    const wish = listRequestOf(visit)
    const { rows, next } = await listMerchantPage(ctx.db, wish)
    const title = translate(locale, 'shopsTitle')
    const body = html`${findField(locale, wish, { next })}
      ${noneOf(locale, wish, { count: rows.length, next, none: 'shopsNone' })}
      <ul class="rows">
        ${rows.map(
          ({ id, name }) => html`<li>
            <a href=${`/${world}/shops/${id}`} class="row"><strong>${name}</strong><span class="hint">${shortNumber(id)}</span></a>
          </li>`,
        )}
      </ul>
      ${nextOf(locale, `/${world}/shops`, wish, next)}`
    return wideScreen({ title, body })
  },
}
