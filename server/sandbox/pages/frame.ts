/** What the pages of the simulated bank have in common: its frame, the facts of an order, and a form whose buttons are the choices. */

import { type PlainKey, translate } from '../../messages/translate.ts'
import { html, type Markup } from '../../pages/html.ts'
import { type LocaleLinks, renderPage } from '../../pages/page.ts'
import { ownOrWebAddress } from '../../pages/web-address.ts'
import type { Locale } from '../../pages/words/locale.ts'

export type BankFrame = {
  locale: Locale
  localeLinks?: LocaleLinks
  title: string
  state: string
  testId: 'bank' | 'card-saving'
  /** Above the title. */
  facts: Markup
  content: Markup
}

export function bankFrame({ locale, localeLinks, title, state, testId, facts, content }: BankFrame): string {
  const body = html`<header class="bank-head">
      <p class="bank-name">${translate(locale, 'bank.bankName')}</p>
      <p class="bank-note">${translate(locale, 'bank.bankNoMoney')}</p>
    </header>
    <main class="bank-desk" data-state=${state} data-testid=${testId}>
      ${facts}
      <h1>${title}</h1>
      ${content}
    </main>`
  return renderPage({
    locale,
    mode: 'sandbox',
    look: 'bank',
    title: `${title} · ${translate(locale, 'bank.bankName')}`,
    body,
    ...(localeLinks && { localeLinks }),
  })
}

/** `reference`: the bank's number. `amount`: absent where no money is paid. */
export function bankFacts(
  locale: Locale,
  { merchantName, amount, reference }: { merchantName: string; amount?: string; reference: string },
): Markup {
  return html`<dl class="bank-order">
    <div><dt>${translate(locale, 'bank.bankMerchant')}</dt><dd><bdi>${merchantName}</bdi></dd></div>
    ${amount === undefined ? null : html`<div><dt>${translate(locale, 'bank.bankAmount')}</dt><dd data-testid="amount">${amount}</dd></div>`}
    <div><dt>${translate(locale, 'bank.bankReference')}</dt><dd class="reference">${reference}</dd></div>
  </dl>`
}

/** The texts of one button. */
export type Choice = { label: PlainKey; text: PlainKey }

/** A form of `choices`, in their order, by the outcome that each sends. It works without a script. */
export function bankChoices(locale: Locale, address: string, choices: Record<string, Choice>): Markup {
  const action = ownOrWebAddress(address)
  // A form without an action would post to the page's own address. So a form with an invalid address is left out.
  if (action === undefined) return null
  return html`<form method="post" action=${action} class="outcomes">
    ${Object.entries(choices).map(([outcome, choice]) => choiceRow(locale, outcome, choice))}
  </form>`
}

function choiceRow(locale: Locale, outcome: string, { label, text }: Choice): Markup {
  const id = `outcome-${outcome}`
  return html`<div class="outcome">
    <button type="submit" name="outcome" value=${outcome} aria-describedby=${id}>${translate(locale, label)}</button>
    <p id=${id}>${translate(locale, text)}</p>
  </div>`
}

/** Leads on somebody who has come here by the browser's *back*. */
export function wayBack(locale: Locale, returnUrl: string | undefined): Markup {
  const href = returnUrl && ownOrWebAddress(returnUrl)
  return href ? html`<p><a class="button" href=${href}>${translate(locale, 'bank.bankBack')}</a></p>` : null
}
