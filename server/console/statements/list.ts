/** The accounts whose statements can be compared with the books. */
import { listAccounts } from '../../accounts/manage.ts'
import { shortNumber } from '../../id.ts'
import { html } from '../../pages/html.ts'
import { listMerchantNames } from '../../storage/merchants/merchants.ts'
import { listRequestOf, nextOf } from '../long-list.ts'
import type { ConsolePage } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { viewOf } from '../world.ts'

export const statements: ConsolePage = {
  method: 'get',
  path: '/:world/statements',
  needs: 'reconcile list',
  async handle(visit) {
    const { locale } = visit
    const { ctx, world, merchantId } = await viewOf(visit)
    // Statements come after an account was retired, too.
    const all = await listAccounts(ctx, { all: true })
    const wish = listRequestOf(visit)
    const rest = all.filter(
      ({ owner, accountId }) => (merchantId === null || owner === merchantId) && accountId > wish.after,
    )
    const accounts = rest.slice(0, wish.limit)
    const next = rest.length > wish.limit ? (accounts.at(-1)?.accountId ?? null) : null
    const names = await listMerchantNames(
      ctx.db,
      accounts.map(({ owner }) => owner),
    )
    const title = translate(locale, 'statementsTitle')
    const body = html`<p>${translate(locale, 'statementsWhat')}</p>
      <h2>${translate(locale, 'whichAccount')}</h2>
      <ul class="rows">
        ${accounts.map(
          ({ accountId, route, driver, owner, retiredAt }) => html`<li>
            <a href=${`/${world}/statements/${accountId}`} class="row">
              <strong>${route} · ${driver}</strong>
              <span>${retiredAt === null ? null : translate(locale, 'retiredAccount')}</span>
              <span class="hint">${owner === null ? translate(locale, 'accountOfService') : (names.get(owner) ?? owner)} · ${shortNumber(accountId)}</span>
            </a>
          </li>`,
        )}
      </ul>
      ${nextOf(locale, `/${world}/statements`, { ...wish, part: null }, next)}
      <p><a href=${`/${world}/desk?kind=difference`}>${translate(locale, 'differencesOnDesk')}</a></p>`
    return wideScreen({ title, body })
  },
}
