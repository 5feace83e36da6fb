/** The list of shops, for the people of all of them. Whoever belongs to one shop is led to it. */
import { html } from '../../pages/html.ts'
import { listMerchants } from '../../storage/merchants/merchants.ts'
import type { ConsolePage } from '../page.ts'
import { say } from '../words/say.ts'
import { viewOf } from '../world.ts'

export const shops: ConsolePage = {
  method: 'get',
  path: '/:world/shops',
  needs: 'merchant show',
  async handle(visit) {
    const { locale } = visit
    const { ctx, world, merchantId } = await viewOf(visit)
    if (merchantId !== null) return { kind: 'redirect', to: `/${world}/shops/${merchantId}` }
    const found = await listMerchants(ctx.db)
    const title = say(locale, 'shopsTitle')
    const body = html`<h1>${title}</h1>
      ${found.length === 0 ? html`<p class="lead">${say(locale, 'shopsNone')}</p>` : null}
      <ul class="rows">
        ${found.map(
          ({ id, name }) => html`<li>
            <a href=${`/${world}/shops/${id}`} class="row"><strong>${name}</strong><span class="hint">${id}</span></a>
          </li>`,
        )}
      </ul>`
    return { kind: 'screen', title, body }
  },
}
