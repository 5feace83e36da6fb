/** The real button, and the text to paste for each platform. */
import { attributesOf, type ButtonChoice, themeOf } from '../../channels/button.ts'
import type { ChannelSettings } from '../../channels/settings.ts'
import { PLATFORMS, type Platform, writeSnippet } from '../../channels/snippets.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'

/** `options` are right below the button, so that visitors see the button change with a colour. */
export function snippetsSection(
  locale: Locale,
  channel: ChannelSettings,
  choice: ButtonChoice,
  options: Markup,
): Markup {
  return html`<section class="card" aria-labelledby="snippets-title">
    <h2 id="snippets-title">${translate(locale, 'install.snippetsTitle')}</h2>
    <div id="preview" data-widget=${channel.script.pinned ? '/widget/v1/kassa.js' : undefined}>
      ${ground(locale, 'light', channel, choice)}
    </div>
    ${choice.product.maxQuantity ? html`<p class="hint" data-testid="sells-one">${translate(locale, 'install.sellsOne')}</p>` : null}
    <noscript><p>${translate(locale, 'install.previewScript')}</p></noscript>
    <p id="pressed" role="status" data-text=${translate(locale, 'install.previewPressed')} data-testid="pressed"></p>
    ${options}
    <h3>${translate(locale, 'install.platformTitle')}</h3>
    <div id="snippets">${PLATFORMS.map((platform) => snippet(locale, platform, writeSnippet(platform, channel, choice)))}</div>
  </section>`
}

/** The button on a page of one colour scheme. */
export function ground(
  locale: Locale,
  scheme: 'light' | 'dark',
  channel: ChannelSettings,
  choice: ButtonChoice,
): Markup {
  return html`<div class=${`ground ${scheme}`} data-testid=${`ground-${scheme}`}>
    <p class="label">${translate(locale, scheme === 'light' ? 'install.previewLight' : 'install.previewDark')}</p>
    ${button(channel, choice)}
  </div>`
}

/**
 * There is no link inside, because here the button leads nowhere. The script sets the theme, because the policy allows no style
 * attribute.
 */
function button(channel: ChannelSettings, choice: ButtonChoice): Markup {
  const attributes = Object.fromEntries(attributesOf(channel, choice))
  return html`<kassa-pay ...${attributes} data-theme=${JSON.stringify(themeOf(choice))}></kassa-pay>`
}

function snippet(locale: Locale, platform: Platform, code: string): Markup {
  const name = translate(locale, `install.platform_${platform}`)
  const id = `snippet-${platform}`
  return html`<details name="platform" id=${platform} open=${platform === PLATFORMS[0]}>
    <summary>${name}</summary>
    <p>${translate(locale, `install.note_${platform}`)}</p>
    ${copyButton(locale, id, name)}
    <pre tabindex="0" aria-label=${name}><code id=${id} data-testid=${id}>${code}</code></pre>
  </details>`
}

/** A button that copies the text of the element `id`. `what` completes its name for screen readers. It needs the script. */
export function copyButton(locale: Locale, id: string, what: string): Markup {
  const copy = translate(locale, 'install.copy')
  return html`<button
    type="button" class="copy" hidden data-copy=${id} aria-label=${`${copy}: ${what}`}
    data-copied=${translate(locale, 'install.copied')} data-by-hand=${translate(locale, 'install.copyByHand')}
  >${copy}</button>`
}
