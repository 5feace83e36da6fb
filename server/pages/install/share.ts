/** For sellers without a website: the product's pay link to send, and a poster with its QR code to print. */
import type { ChannelProduct, ChannelSettings } from '../../channels/settings.ts'
import type { Mode } from '../../contract/health.ts'
import type { Brand } from '../brand/brand.ts'
import { html, type Markup } from '../html.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { qrCode } from '../qr-code.ts'
import { sayInstall } from '../words/install-messages.ts'
import { formatAmount, type Locale } from '../words/locale.ts'
import { copyButton } from './copy-button.ts'

export function shareSection(locale: Locale, channel: ChannelSettings, product: ChannelProduct): Markup {
  return html`<section class="card share" aria-labelledby="share-title">
    <h2 id="share-title">${sayInstall(locale, 'shareTitle')}</h2>
    <div id="share">
      <p class="pay-link"><a id="pay-link" href=${product.payUrl} data-testid="pay-link">${product.payUrl}</a></p>
      <p class="acts">
        ${copyButton(locale, 'pay-link', sayInstall(locale, 'shareLink'))}
        <a class="button quiet" href=${posterUrl(channel, product, locale)} data-testid="poster">${sayInstall(locale, 'sharePoster')}</a>
      </p>
    </div>
    <p class="hint">${sayInstall(locale, 'shareText')}</p>
  </section>`
}

function posterUrl({ publicKey }: ChannelSettings, { id: product }: ChannelProduct, locale: Locale): string {
  return `/install/${encodeURIComponent(publicKey)}/poster?${new URLSearchParams({ product, locale })}`
}

export type PosterView = {
  locale: Locale
  mode: Mode
  localeLinks: LocaleLinks
  brand: Brand
  product: ChannelProduct
  /** For people who type it. Null if the product has none. */
  shortUrl: string | null
}

/** One sheet of paper for a shop's counter: the product, its price, and the QR code to scan. */
export function posterPage({ locale, mode, localeLinks, brand, product, shortUrl }: PosterView): string {
  const { name, isAmountChosen, amountMinor, currency, payUrl } = product
  const body = html`<main class="poster" data-testid="poster-page">
    ${brand.logo ? html`<img class="poster-logo" data-ground=${brand.logo.ground} src=${brand.logo.address} width=${brand.logo.width} height=${brand.logo.height} alt="" />` : null}
    <p class="poster-shop"><bdi>${brand.name}</bdi></p>
    <h1><bdi>${name}</bdi></h1>
    <p class="poster-price">${isAmountChosen ? sayInstall(locale, 'anyAmountPoster') : formatAmount(amountMinor, currency, locale)}</p>
    <div class="poster-code">${qrCode(payUrl, sayInstall(locale, 'posterCode', { name }))}</div>
    <p class="poster-act">${sayInstall(locale, 'posterAct')}</p>
    <p class="poster-link">${shortUrl ?? payUrl}</p>
    <p class="acts not-printed">
      <button type="button" class="button" hidden data-print>${sayInstall(locale, 'print')}</button>
      <span class="hint" data-without-script>${sayInstall(locale, 'posterHint')}</span>
    </p>
  </main>`
  const title = `${name} · ${brand.name}`
  const assets = { style: '/install.css', script: '/install.js' }
  return renderPage({ locale, mode, localeLinks, title, body, look: 'install', assets, brand })
}
