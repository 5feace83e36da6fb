/** The page that a site builder opens: the real button, its options, the text to paste, the doctor, the plain settings. */

import type { ChannelSettings } from '../../../channels/settings.ts'
import {
  attributesOf,
  type ButtonChoice,
  PLATFORMS,
  type Platform,
  themeOf,
  writeSnippet,
} from '../../../channels/snippets.ts'
import type { Mode } from '../../../contract/health.ts'
import { html, type Markup } from '../html.ts'
import { noticeHead } from '../message-page.ts'
import { type LocaleLinks, renderPage } from '../page.ts'
import { sayInstall } from '../words/install-messages.ts'
import { LOCALES, type Locale } from '../words/locale.ts'
import { doctorSection, type Examination } from './doctor.ts'
import { optionsSection } from './options.ts'

export type InstallView = {
  locale: Locale
  mode: Mode
  localeLinks: LocaleLinks
  channel: ChannelSettings
  /** Null where nothing is for sale. */
  choice: ButtonChoice | null
  query: Record<string, string>
  /** What the doctor was asked, by field. */
  asked: Record<string, string>
  /** What of this visit goes along in addresses. */
  kept: Record<string, string>
  examination: Examination | null
}

const ASSETS = { style: '/install.css', script: '/install.js' }

export function installPage(view: InstallView): string {
  const { locale, mode, localeLinks, channel, choice, query, asked, kept, examination } = view
  const chosen = LOCALES.find((each) => each === query.locale)
  const { site, ...options } = kept
  const body = html`<main class="workbench" data-testid="install">
    <header>
      <h1>${sayInstall(locale, 'title')}</h1>
      <p class="lead">${sayInstall(locale, 'lead', { name: channel.merchantName })}</p>
    </header>
    <form id="install" method="get" autocomplete="off">
      ${chosen ? html`<input type="hidden" name="locale" value=${chosen} />` : null}
      <div id="kept" hidden>${site && html`<input type="hidden" name="site" value=${site} />`}</div>
      ${
        choice
          ? html`<div class="desk">${optionsSection(locale, channel, { choice, query })}${preview(locale, channel, choice)}</div>
              ${snippets(locale, channel, choice)}`
          : html`<p class="card">${sayInstall(locale, 'noProducts')}</p>`
      }
    </form>
    <form id="doctor" method="post" action=${`?${new URLSearchParams(options)}#doctor-title`} autocomplete="off">
      ${doctorSection(locale, channel, { asked, examination })}
    </form>
    ${plainSettings(locale, channel)}
  </main>`
  const title = `${sayInstall(locale, 'title')} · ${channel.merchantName}`
  return renderPage({ locale, mode, localeLinks, title, body, look: 'install', assets: ASSETS })
}

/** Alike for a key that never was and one that was withdrawn. */
export function unknownKeyPage(view: Pick<InstallView, 'locale' | 'mode' | 'localeLinks'>): string {
  const { locale } = view
  const title = sayInstall(locale, 'unknownTitle')
  const body = html`<div class="sheet"><main class="slip" data-tone="neutral">
    ${noticeHead('neutral', title, sayInstall(locale, 'unknownText'))}
  </main></div>`
  return renderPage({ ...view, title, body, look: 'install' })
}

function preview(locale: Locale, channel: ChannelSettings, choice: ButtonChoice): Markup {
  return html`<section class="card preview" aria-labelledby="preview-title">
    <h2 id="preview-title">${sayInstall(locale, 'previewTitle')}</h2>
    <div id="preview" data-widget=${channel.script.pinned ? '/widget/v1/kassa.js' : undefined}>
      ${(['light', 'dark'] as const).map(
        (scheme) => html`<div class=${`ground ${scheme}`} data-testid=${`ground-${scheme}`}>
          <p class="label">${sayInstall(locale, scheme === 'light' ? 'previewLight' : 'previewDark')}</p>
          ${button(channel, choice)}
        </div>`,
      )}
    </div>
    <noscript><p>${sayInstall(locale, 'previewScript')}</p></noscript>
    <p class="hint">${sayInstall(locale, 'previewNote')}</p>
    <p id="pressed" role="status" data-text=${sayInstall(locale, 'previewPressed')} data-testid="pressed"></p>
  </section>`
}

/** No link inside: here the button leads nowhere. The theme is put on by the script, as a style attribute is not allowed. */
function button(channel: ChannelSettings, choice: ButtonChoice): Markup {
  const attributes = Object.fromEntries(attributesOf(channel, choice))
  return html`<kassa-pay ...${attributes} data-theme=${JSON.stringify(themeOf(choice))}></kassa-pay>`
}

function snippets(locale: Locale, channel: ChannelSettings, choice: ButtonChoice): Markup {
  return html`<section class="card" aria-labelledby="snippets-title">
    <h2 id="snippets-title">${sayInstall(locale, 'snippetsTitle')}</h2>
    <div id="snippets">${PLATFORMS.map((platform) => snippet(locale, platform, writeSnippet(platform, channel, choice)))}</div>
  </section>`
}

function snippet(locale: Locale, platform: Platform, code: string): Markup {
  const name = sayInstall(locale, `platform_${platform}`)
  const id = `snippet-${platform}`
  return html`<details name="platform" id=${platform} open=${platform === PLATFORMS[0]}>
    <summary>${name}</summary>
    <p>${sayInstall(locale, `note_${platform}`)}</p>
    <pre><code id=${id} data-testid=${id}>${code}</code></pre>
    <button
      type="button" class="copy" hidden data-copy=${id} aria-label=${`${sayInstall(locale, 'copy')}: ${name}`}
      data-copied=${sayInstall(locale, 'copied')} data-by-hand=${sayInstall(locale, 'copyByHand')}
    >${sayInstall(locale, 'copy')}</button>
  </details>`
}

function plainSettings(locale: Locale, channel: ChannelSettings): Markup {
  const { publicKey, script, origins, returnUrl, policy, products } = channel
  const rows: [string, string[]][] = [
    [sayInstall(locale, 'publicKey'), [publicKey]],
    [sayInstall(locale, 'scriptPinned'), script.pinned ? [script.pinned.scriptUrl] : []],
    [sayInstall(locale, 'integrity'), script.pinned ? [script.pinned.integrity] : []],
    [sayInstall(locale, 'scriptMoving'), [script.moving]],
    [sayInstall(locale, 'origins'), origins],
    [sayInstall(locale, 'returnUrl'), [returnUrl ?? sayInstall(locale, 'returnNone')]],
    [sayInstall(locale, 'policy'), Object.entries(policy).map(([name, source]) => `${name} ${source}`)],
    [sayInstall(locale, 'payLinks'), products.map(({ payUrl }) => payUrl)],
  ]
  return html`<section class="card" aria-labelledby="settings-title">
    <h2 id="settings-title">${sayInstall(locale, 'settingsTitle')}</h2>
    <dl class="settings">
      ${rows.map(([name, values]) => values.length > 0 && html`<div><dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)}</div>`)}
    </dl>
    <p class="hint">${sayInstall(locale, 'proof')} <a class="way" href="/docs">${sayInstall(locale, 'reference')}</a></p>
  </section>`
}
