/** How the owner of the shop is told about orders by mail. */
import { may } from '../../acts/policy.ts'
import { mails } from '../../acts/rows/orders.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import { versionOf } from '../../merchants/version.ts'
import { getOrderBook, keepsOrders, newsWithNotice, type OrderBook } from '../../operator/orders/book.ts'
import { html, type Markup } from '../../pages/html.ts'
import { LOCALES } from '../../pages/words/locale.ts'
import { findOrderBook } from '../../storage/orders/books.ts'
import { NEWS, NOTICE_TIMES } from '../../storage/orders/orders.ts'
import { formPage } from '../form-page.ts'
import { field, hiddenFields, selectField, tick } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, narrowScreen, whoMay } from '../page-parts.ts'
import { translate } from '../words/translate.ts'
import { actFor, shopOf } from '../world.ts'

const page: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/notices',
  needs: 'merchant show',
  handle: (visit) => noticesScreen(visit),
}

async function noticesScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, user, query } = visit
  const view = await shopOf(visit)
  const [book, isBook, stored] = await Promise.all([
    getOrderBook(view.ctx, view.merchantId),
    keepsOrders(view.ctx, view.merchantId),
    findOrderBook(view.ctx.db, view.merchantId),
  ])
  // The owner need not type the own address. It counts only once it is saved.
  const isOwner = user.merchantId === view.merchantId
  const shown = stored ?? { ...book, email: isOwner ? user.email : null, locale }
  const title = translate(locale, 'noticesTitle')
  const notice = query.done ? translate(locale, 'done_noticed') : null
  const body = html`<p class="lead">${translate(locale, 'noticesLead')}</p>
    ${view.ctx.config.smtpServer ? null : html`<p class="alert">${translate(locale, 'noticesNoServer')}</p>`}
    ${isBook ? null : html`<p class="alert">${translate(locale, 'noticesNoBook')} <a href=${`${view.path}/live`}>${translate(locale, 'liveTitle')}</a></p>`}
    ${may(user, 'order mails') ? html`<form method="post" class="fields">${noticeFields(visit, { orderBook: book, shown })}<button class="button">${translate(locale, 'productSave')}</button></form>` : html`${factsOf(visit, book)}${whoMay(locale, 'order mails')}`}
    ${backTo(view.path, view.merchant.name)}`
  return narrowScreen({ title, body, problem, notice })
}

/** `shown`: as it is stored, or as it is suggested. */
function noticeFields(
  { locale, form }: OwnVisit,
  { orderBook, shown }: { orderBook: OrderBook; shown: OrderBook },
): Markup {
  const isSent = form.sent === 'yes'
  const isOn = (kind: (typeof NEWS)[number]) =>
    isSent ? form[kind] === 'yes' : !orderBook.silent.includes(kind)
  return html`
    ${hiddenFields({ sent: 'yes', seen: versionOf(orderBook) })}
    ${field({ name: 'email', label: translate(locale, 'noticesEmail'), type: 'email', value: isSent ? (form.email ?? '') : (shown.email ?? ''), hint: translate(locale, 'noticesEmailHint'), isOptional: true, autocomplete: 'email' })}
    ${selectField(
      'language',
      translate(locale, 'noticesLanguage'),
      LOCALES.map((each) => [each, LANGUAGES[each].own] as const),
      form.language ?? shown.locale,
    )}
    ${selectField(
      'when',
      translate(locale, 'noticesWhen'),
      NOTICE_TIMES.map((each) => [each, translate(locale, `told_${each}`)] as const),
      form.when ?? orderBook.told,
    )}
    <fieldset class="asked">
      <legend>${translate(locale, 'noticesAbout')}</legend>
      ${NEWS.map((each) => tick(each, translate(locale, `news_${each}`), isOn(each)))}
    </fieldset>`
}

function factsOf({ locale }: OwnVisit, orderBook: OrderBook): Markup {
  const lines: [string, string][] = [
    [translate(locale, 'noticesEmail'), orderBook.email ?? translate(locale, 'noticesNobody')],
    [translate(locale, 'noticesWhen'), translate(locale, `told_${orderBook.told}`)],
    [
      translate(locale, 'noticesAbout'),
      newsWithNotice(orderBook)
        .map((each) => translate(locale, `news_${each}`))
        .join(', '),
    ],
  ]
  return html`<dl class="facts">${lines.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`
}

const change = formPage({
  path: '/:world/shops/:merchant/notices',
  needs: 'order mails',
  again: noticesScreen,
  async send(visit) {
    const { form } = visit
    const { merchantId, path } = await shopOf(visit)
    const email = form.email?.trim() ?? ''
    const wish = {
      ...(email === '' ? { off: true } : { email }),
      locale: LOCALES.find((each) => each === form.language),
      told: NOTICE_TIMES.find((each) => each === form.when),
      silent: NEWS.filter((each) => form[each] !== 'yes'),
    }
    await actFor(visit, mails, merchantId, { merchantId, ...wish, seen: form.seen ?? '' })
    return `${path}/notices?done=noticed`
  },
})

export const NOTICE_PAGES: readonly ConsolePage[] = [page, change]
