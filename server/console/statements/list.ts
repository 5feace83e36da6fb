/** The accounts whose statements can be compared with the books. */
import { listAccounts } from '../../accounts/manage.ts'
import { html } from '../../pages/html.ts'
import { listMerchants } from '../../storage/merchants/merchants.ts'
import type { ConsolePage } from '../page.ts'
import { say } from '../words/say.ts'
import { viewOf } from '../world.ts'

export const statements: ConsolePage = {
  method: 'get',
  path: '/:world/statements',
  needs: 'reconcile list',
  async handle(visit) {
    const { locale } = visit
    const { ctx, world, merchantId } = await viewOf(visit)
    // Statements come after an account was retired, too.
    const [all, merchants] = await Promise.all([listAccounts(ctx, { all: true }), listMerchants(ctx.db)])
    const accounts = all.filter(({ owner }) => merchantId === null || owner === merchantId)
    const names = new Map(merchants.map(({ id, name }) => [id, name]))
    const title = say(locale, 'statementsTitle')
    const body = html`<h1>${title}</h1>
      <p>${say(locale, 'statementsWhat')}</p>
      <h2>${say(locale, 'whichAccount')}</h2>
      <ul class="rows">
        ${accounts.map(
          ({ accountId, route, driver, owner, retiredAt }) => html`<li>
            <a href=${`/${world}/statements/${accountId}`} class="row">
              <strong>${route} · ${driver}</strong>
              <span>${retiredAt === null ? null : say(locale, 'retiredAccount')}</span>
              <span class="hint">${owner === null ? say(locale, 'accountOfService') : (names.get(owner) ?? owner)} · ${accountId}</span>
            </a>
          </li>`,
        )}
      </ul>
      <p><a href=${`/${world}/desk?kind=difference`}>${say(locale, 'differencesOnDesk')}</a></p>`
    return { kind: 'screen', title, body }
  },
}
