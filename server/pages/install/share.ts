/** For sellers without a website: the product's pay link to send, and the way to its poster. */
import type { ChannelProduct, ChannelSettings } from '../../channels/settings.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'
import { copyButton } from './snippets-section.ts'

export function shareSection(locale: Locale, channel: ChannelSettings, product: ChannelProduct): Markup {
  return html`<section class="card share" aria-labelledby="share-title">
    <h2 id="share-title">${translate(locale, 'install.shareTitle')}</h2>
    <div id="share">
      <p class="pay-link"><a id="pay-link" href=${product.payUrl} data-testid="pay-link">${product.payUrl}</a></p>
      <p class="acts">
        ${copyButton(locale, 'pay-link', translate(locale, 'install.shareLink'))}
        <a class="button quiet" href=${posterUrl(channel, product, locale)} data-testid="poster">${translate(locale, 'install.sharePoster')}</a>
      </p>
    </div>
    <p class="hint">${translate(locale, 'install.shareText')}</p>
  </section>`
}

export function posterUrl(
  { publicKey }: Pick<ChannelSettings, 'publicKey'>,
  { id: product }: Pick<ChannelProduct, 'id'>,
  locale: Locale,
): string {
  return `/install/${encodeURIComponent(publicKey)}/poster?${new URLSearchParams({ product, locale })}`
}
