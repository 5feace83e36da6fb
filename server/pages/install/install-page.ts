/**
 * The page for a shop's owner: a link to share, the real button, and the text to paste. Everything that few people need is
 * folded.
 */

import type { ButtonChoice } from '../../channels/button.ts'
import type { ChannelSettings } from '../../channels/settings.ts'
import type { Mode } from '../../contract/health.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import { noticeHead } from '../message-page.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { formatAmount, LOCALES, type Locale } from '../words/locale.ts'
import { doctorSection, type Examination } from './doctor.ts'
import { optionsSection, returnSection, selectField } from './options.ts'
import { shareSection } from './share.ts'
import { snippetsSection } from './snippets-section.ts'

export type InstallView = {
  locale: Locale
  mode: Mode
  localeLinks: LocaleLinks
  channel: ChannelSettings
  /** Whether the shop has more products than the page shows. */
  hasMore: boolean
  /** Null if there is no product for sale. */
  choice: ButtonChoice | null
  query: Record<string, string>
  /** The doctor's form, by field. */
  entered: Record<string, string>
  /** The part of this visit that is kept in addresses. */
  kept: Record<string, string>
  examination: Examination | null
}

const ASSETS = { styles: ['/install.css'], script: '/install.js' }

export function installPage(view: InstallView): string {
  const { locale, mode, localeLinks, channel, choice, query, entered, kept, examination } = view
  const chosen = LOCALES.find((each) => each === query.locale)
  const { site, ...options } = kept
  // Without an origin the key works on no page of another site, so there is no button to paste.
  const isLinkAlone = channel.origins.length === 0
  const body = html`<main class="workbench" data-testid="install">
    <header>
      <h1>${translate(locale, 'install.title')}</h1>
      <p class="lead">${translate(locale, isLinkAlone ? 'install.leadLink' : 'install.lead', { name: channel.merchantName })}</p>
      ${channel.hasPlainReturn ? html`<p class="alert" data-testid="insecure-return">${translate(locale, 'install.plainReturn')}</p>` : null}
    </header>
    <form id="install" method="get" autocomplete="off">
      ${chosen ? html`<input type="hidden" name="locale" value=${chosen} />` : null}
      <div id="kept" hidden>${site && html`<input type="hidden" name="site" value=${site} />`}</div>
      ${
        choice
          ? html`${productField(view, choice)}
              ${shareSection(locale, channel, choice.product)}
              ${isLinkAlone ? null : choice.product.isAmountChosen ? html`<p class="card" data-testid="amount-chosen">${translate(locale, 'install.amountChosen')}</p>` : buttonSections(view, choice)}`
          : html`<p class="card">${translate(locale, 'install.noProducts')}</p>`
      }
    </form>
    ${
      isLinkAlone
        ? null
        : html`<form id="doctor" method="post" action=${`?${new URLSearchParams(options)}#doctor-title`} autocomplete="off">
      ${folded('doctor-title', translate(locale, 'install.doctorTitle'), doctorSection(locale, channel, { entered, examination }), examination !== null)}
    </form>`
    }
    ${folded('settings', translate(locale, 'install.settingsTitle'), plainSettings(locale, channel), false)}
  </main>`
  const title = `${translate(locale, 'install.title')} · ${channel.merchantName}`
  return renderPage({ locale, mode, localeLinks, title, body, look: 'install', assets: ASSETS })
}

function buttonSections({ locale, channel, query }: InstallView, choice: ButtonChoice): Markup {
  const options = html`<details class="fold" id="options" open=${isStyled(query)}>
    <summary><h3>${translate(locale, 'install.optionsTitle')}</h3></summary>
    ${optionsSection(locale, channel, choice)}
  </details>`
  return html`${snippetsSection(locale, channel, choice, options)}
    ${folded('return', translate(locale, 'install.comeBack'), returnSection(locale, channel, query), query.return !== undefined)}`
}

function folded(id: string, title: string, content: Markup, isOpen: boolean): Markup {
  return html`<details class="card fold" id=${id} open=${isOpen}>
    <summary><h2>${title}</h2></summary>
    ${content}
  </details>`
}

const STYLES = [
  'language',
  'label',
  'price',
  'background',
  'text',
  'backgroundDark',
  'textDark',
  'radius',
  'version',
]

/** True if the visitor has chosen how the button looks, so that the fold with these options must be open. */
const isStyled = (query: Record<string, string>) => STYLES.some((name) => query[name] !== undefined)

/** A shop with one product has no choice of products. */
function productField(
  { locale, channel: { products }, hasMore }: InstallView,
  { product }: ButtonChoice,
): Markup {
  const labels = products.map(({ id, name, isAmountChosen, amountMinor, currency }) => [
    id,
    `${name}, ${isAmountChosen ? translate(locale, 'install.anyAmount') : formatAmount(amountMinor, currency, locale)}`,
  ])
  return products.length < 2
    ? html`<p class="sold"><bdi>${labels[0]?.[1]}</bdi></p>`
    : html`${selectField('product', translate(locale, 'install.product'), product.id, labels)}
        ${moreProducts(locale, hasMore)}
        <p data-without-script><button class="button quiet" type="submit">${translate(locale, 'install.show')}</button></p>`
}

/** How to get a product that the list does not have. */
export function moreProducts(locale: Locale, hasMore: boolean): Markup {
  return hasMore
    ? html`<p class="hint" data-testid="more-products">${translate(locale, 'install.productMore')}</p>`
    : null
}

/** The same page for an unknown key and for a revoked key. */
export function unknownKeyPage(view: Pick<InstallView, 'locale' | 'mode' | 'localeLinks'>): string {
  const { locale } = view
  const title = translate(locale, 'install.unknownTitle')
  const body = html`<div class="sheet"><main class="slip" data-tone="neutral">
    ${noticeHead('neutral', title, translate(locale, 'install.unknownText'))}
  </main></div>`
  return renderPage({ ...view, title, body, look: 'install' })
}

function plainSettings(locale: Locale, channel: ChannelSettings): Markup {
  const { publicKey, script, origins, returnUrl, policy, products } = channel
  const ofButton: [string, string[]][] = [
    [translate(locale, 'install.scriptPinned'), script.pinned ? [script.pinned.scriptUrl] : []],
    [translate(locale, 'install.integrity'), script.pinned ? [script.pinned.integrity] : []],
    [translate(locale, 'install.scriptMoving'), [script.moving]],
    [translate(locale, 'install.origins'), origins],
    [translate(locale, 'install.returnUrl'), [returnUrl ?? translate(locale, 'install.returnNone')]],
    [
      translate(locale, 'install.policy'),
      Object.entries(policy).map(([name, source]) => `${name} ${source}`),
    ],
  ]
  const rows: [string, string[]][] = [
    [translate(locale, 'install.publicKey'), [publicKey]],
    ...(origins.length > 0 ? ofButton : []),
    [translate(locale, 'install.payLinks'), products.map(({ payUrl }) => payUrl)],
  ]
  return html`<dl class="settings">
      ${rows.map(([name, values]) => values.length > 0 && html`<div><dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)}</div>`)}
    </dl>
    <p class="hint">${translate(locale, 'install.proof')} <a class="way" href="/docs">${translate(locale, 'install.reference')}</a></p>`
}
