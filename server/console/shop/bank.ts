/** The bank account of a shop: which one buyers read now, what waits for approval, and asking for another one. */

import type { AccountView } from '../../accounts/manage.ts'
import { may } from '../../acts/policy.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { AppError } from '../../errors.ts'
import type { Proposal } from '../../operator/approvals/listing.ts'
import {
  askBankAccount,
  type BankAccount,
  type EndedAsk,
  listBankAccounts,
  listEndedAsks,
  listWaiting,
  withdrawBankAccount,
} from '../../operator/shop/bank-account.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formPage } from '../form-page.ts'
import { field, hiddenFields, selectField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, narrowScreen, whoMay } from '../page-parts.ts'
import { factList, momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { type ShopView, shopOf, writing } from '../world.ts'

const NOTICES = ['bankAsked', 'bankWithdrawn'] as const

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/bank',
  needs: 'merchant show',
  handle: (visit) => bankScreen(visit),
}

async function bankScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, query } = visit
  const view = await shopOf(visit)
  const [accounts, waiting, ended] = await Promise.all([
    listBankAccounts(view.ctx, view.merchantId),
    listWaiting(view.ctx, view.merchantId),
    listEndedAsks(view.ctx, view.merchantId),
  ])
  const done = NOTICES.find((each) => each === query.done)
  const title = translate(locale, 'bankTitle')
  const body = html`<p class="lead">${translate(locale, accounts.length === 0 ? 'bankNone' : 'bankLead')}</p>
    <ul class="cards">
      ${accounts.map((each) => accountCard(visit, each))}
      ${waiting.map((each) => waitingCard(visit, view, each))}
      ${ended.map((each) => endedCard(visit, view, each))}
    </ul>
    ${may(visit.user, 'account ask') ? askForm(visit) : whoMay(locale, 'account ask')}
    ${backTo(view.path, view.merchant.name)}`
  return narrowScreen({ title, body, problem, notice: done ? translate(locale, `done_${done}`) : null })
}

function accountCard({ locale }: OwnVisit, { settings, currencies }: AccountView): Markup {
  return html`<li class="card" data-state="approved">
    <p><strong>${translate(locale, 'bankNow', { currency: currencies.join(', ') })}</strong></p>
    ${factList([
      [translate(locale, 'bankRecipient'), settings.RECIPIENT ?? null],
      [translate(locale, 'bankNumber'), settings.ACCOUNT ?? null],
      [translate(locale, 'bankName'), settings.BANK ?? null],
      [translate(locale, 'bankCode'), settings.BIC ?? null],
      [translate(locale, 'bankDays'), settings.DAYS ?? null],
    ])}
  </li>`
}

/** `about` begins with the number of the shop, which its people need not read. */
function waitingCard(
  { locale, user }: OwnVisit,
  view: ShopView,
  { id, about, ...proposal }: Proposal,
): Markup {
  const until = momentText(proposal.expiresAt, locale, view.timeZone) ?? ''
  return html`<li class="card" data-state="waiting">
    <p><strong>${translate(locale, 'bankWaits', { until })}</strong></p>
    <p><bdi>${about.replace(`${view.merchantId} `, '')}</bdi></p>
    ${
      may(user, 'account ask')
        ? html`<form method="post" action=${`${view.path}/bank/withdraw`}>
            ${hiddenFields({ proposal: id })}
            <button class="button quiet">${translate(locale, 'bankWithdraw')}</button>
          </form>`
        : null
    }
    ${may(user, 'approval grant') ? html`<p><a href=${`/${view.world}/approvals/${id}`}>${translate(locale, 'bankLook')}</a></p>` : null}
  </li>`
}

/** What came of it, and what to do next. */
function endedCard({ locale }: OwnVisit, view: ShopView, { how, about, at, why }: EndedAsk): Markup {
  const moment = momentText(at, locale, view.timeZone) ?? ''
  return html`<li class="card" data-state="refused">
    <p><strong>${translate(locale, `bankEnded_${how}`, { at: moment })}</strong></p>
    <p><bdi>${about.replace(`${view.merchantId} `, '')}</bdi></p>
    ${why ? html`<p>${translate(locale, 'bankEndedWhy')} <bdi>${why}</bdi></p>` : null}
    <p class="hint">${translate(locale, `bankNext_${how}`)}</p>
  </li>`
}

function askForm({ locale, form }: OwnVisit): Markup {
  const currencies = CURRENCY_CODES.map((each) => [each, each] as const)
  return html`<form method="post" class="fields card">
    <h2>${translate(locale, 'bankAsk')}</h2>
    ${selectField('currency', translate(locale, 'bankCurrency'), currencies, form.currency ?? '')}
    ${field({ name: 'recipient', label: translate(locale, 'bankRecipient'), value: form.recipient ?? '', hint: translate(locale, 'bankRecipientHint') })}
    ${field({ name: 'account', label: translate(locale, 'bankNumber'), value: form.account ?? '', hint: translate(locale, 'bankNumberHint') })}
    ${field({ name: 'bank', label: translate(locale, 'bankName'), value: form.bank ?? '', isOptional: true })}
    ${field({ name: 'bic', label: translate(locale, 'bankCode'), value: form.bic ?? '', isOptional: true })}
    ${field({ name: 'days', label: translate(locale, 'bankDays'), value: form.days ?? '7', inputmode: 'numeric', hint: translate(locale, 'bankDaysHint') })}
    <p class="hint">${translate(locale, 'bankAskHint')}</p>
    <button class="button">${translate(locale, 'bankAskDo')}</button>
  </form>`
}

const ask = formPage({
  path: '/:world/shops/:merchant/bank',
  needs: 'account ask',
  again: bankScreen,
  async send(visit) {
    const { merchantId, path } = await shopOf(visit)
    const { form, user } = visit
    const currency = CURRENCY_CODES.find((each) => each === form.currency)
    if (!currency) throw new AppError('validation_failed')
    const { recipient = '', bank = '', account = '', bic = '', days = '' } = form
    const given: BankAccount = { merchantId, currency, recipient, bank, account, bic, days }
    await askBankAccount(writing(visit, 'account ask', merchantId), user, given)
    return `${path}/bank?done=bankAsked`
  },
})

const withdraw: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/bank/withdraw',
  needs: 'account ask',
  async handle(visit) {
    const { merchantId, path } = await shopOf(visit)
    const ctx = writing(visit, 'account ask', merchantId)
    await withdrawBankAccount(ctx, visit.user, { merchantId, id: visit.form.proposal ?? '' })
    return { kind: 'redirect', to: `${path}/bank?done=bankWithdrawn` }
  },
}

export const BANK_PAGES: readonly ConsolePage[] = [page, ask, withdraw]
