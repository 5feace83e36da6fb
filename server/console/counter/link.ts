/** A new link at the counter: an amount and a word for it. Then its code is shown for the buyer to scan. */
import { randomBytes } from 'node:crypto'
import { resultOf } from '../../acts/do.ts'
import { create } from '../../acts/rows/links.ts'
import { CURRENCY_CODES, type CurrencyCode } from '../../contract/fields.ts'
import { lookFor } from '../../operator/finding/list.ts'
import { html } from '../../pages/html.ts'
import { doOrShowRefusal } from '../form-page.ts'
import { field, selectField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { beginBook } from '../shop/begin-book.ts'
import { amountValues, readAmount } from '../typed-amount.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { actFor, type ShopView, shopOf } from '../world.ts'

const WORD_CHARS_MAX = 120

const linkPage: ConsolePage = {
  method: 'get',
  path: '/:world/shops/:merchant/link',
  needs: 'link create',
  handle: async (visit) => formScreen(visit, await shopOf(visit)),
}

const linkForm: ConsolePage = {
  method: 'post',
  path: '/:world/shops/:merchant/link',
  needs: 'link create',
  async handle(visit) {
    const { form, locale } = visit
    const shop = await shopOf(visit)
    const again = (key: ConsoleKey, values: Record<string, string | number> = {}) =>
      formScreen(visit, shop, translateAny(locale, key, values))
    const currency = CURRENCY_CODES.find((each) => each === form.currency)
    const amountMinor = currency ? readAmount(form.amount, currency) : 'amountWrong'
    const description = form.word?.trim() ?? ''
    if (!currency || typeof amountMinor === 'string')
      return again(
        currency ? (amountMinor as ConsoleKey) : 'amountWrong',
        currency ? amountValues(form.amount, currency) : {},
      )
    if (description === '' || [...description].length > WORD_CHARS_MAX)
      return again('linkWordWrong', { chars: WORD_CHARS_MAX })
    if (!/^[\w-]{16,40}$/.test(form.once ?? '')) return again('formOver')
    const { merchantId } = shop
    const given = { merchantId, amountMinor, currency, description, key: `console ${form.once}` }
    return doOrShowRefusal(
      locale,
      async () => {
        const made = await actFor(visit, create, merchantId, given)
        await beginBook(visit, merchantId)
        return `/${shop.world}/counter/${resultOf(made).facts.paymentId ?? ''}`
      },
      (problem) => formScreen(visit, shop, problem),
    )
  },
}

async function formScreen(visit: OwnVisit, shop: ShopView, problem?: string): Promise<Screen> {
  const { locale, form } = visit
  const currency = form.currency ?? (await usualCurrency(shop))
  const title = translate(locale, 'newLink')
  const body = html`<form method="post" class="fields">
      <input type="hidden" name="once" value=${randomBytes(18).toString('base64url')} />
      <div class="pair amount-pair">
        ${field({ name: 'amount', label: translate(locale, 'linkAmount'), value: form.amount ?? '', inputmode: 'decimal' })}
        ${selectField(
          'currency',
          translate(locale, 'currency'),
          CURRENCY_CODES.map((each) => [each, each] as const),
          currency ?? '',
        )}
      </div>
      ${field({ name: 'word', label: translate(locale, 'linkWord'), value: form.word ?? '', hint: translate(locale, 'linkWordHint') })}
      <button class="button">${translate(locale, 'linkMake')}</button>
    </form>
    <p><a href=${`/${shop.world}/counter`}>${translate(locale, 'counterBack')}</a></p>`
  return narrowScreen({ title, body, problem })
}

/** Returns the currency of the shop's newest payment. */
async function usualCurrency({ ctx, merchantId }: ShopView): Promise<CurrencyCode | undefined> {
  return (await lookFor(ctx, { merchantId, limit: 1 })).payments[0]?.currency
}

export const LINK_FORM_PAGES: readonly ConsolePage[] = [linkPage, linkForm]
