/** The install page's options: one form, whose answer is the page itself. */

import { RETURN_MAX_CHARS } from '../../../channels/doctor/return.ts'
import type { ChannelSettings } from '../../../channels/settings.ts'
import { type ButtonChoice, RETURN_GUESS } from '../../../channels/snippets.ts'
import { html, type Markup } from '../html.ts'
import { sayFinding, sayInstall } from '../words/install-messages.ts'
import type { InstallKey } from '../words/install-messages-en.ts'
import type { Locale } from '../words/locale.ts'
import { BUTTON_LOCALES, LABEL_MAX_CHARS, RADIUS_MAX_PX, readReturn } from './choice.ts'

export function optionsSection(
  locale: Locale,
  channel: ChannelSettings,
  { choice, query }: { choice: ButtonChoice; query: Record<string, string> },
): Markup {
  const say = (key: InstallKey, values?: Record<string, string>) => sayInstall(locale, key, values)
  const { pinned } = channel.script
  const version = pinned ? [['pinned', say('pinned', { version: pinned.version })]] : []
  return html`<section class="card options" aria-labelledby="options-title">
    <h2 id="options-title">${say('optionsTitle')}</h2>
    <div class="fields">
      ${select(
        'product',
        say('product'),
        choice.product.id,
        channel.products.map(({ id, name }) => [id, name]),
      )}
      ${select('language', say('language'), choice.locale ?? '', [
        ['', say('languagePage')],
        ...Object.entries(BUTTON_LOCALES),
      ])}
      <label>${say('label')}
        <input name="label" maxlength=${LABEL_MAX_CHARS} value=${choice.label ?? ''} aria-describedby="label-hint" />
        <small id="label-hint">${say('labelHint')}</small>
      </label>
      ${select(
        'price',
        say('price'),
        choice.price === null ? 'hidden' : 'shown',
        [
          ['shown', say('priceShown')],
          ['hidden', say('priceHidden')],
        ],
        say('priceHint'),
      )}
    </div>
    ${returnField(locale, channel, query)}
    <fieldset>
      <legend>${say('colours')}</legend>
      <div class="fields colours">
        ${colour('background', say('background'), choice.background.light)}
        ${colour('text', say('text'), choice.text.light)}
        ${colour('backgroundDark', say('backgroundDark'), choice.background.dark)}
        ${colour('textDark', say('textDark'), choice.text.dark)}
        <label>${say('radius')}
          <input type="number" name="radius" min="0" max=${RADIUS_MAX_PX} value=${choice.radiusPx} />
        </label>
      </div>
    </fieldset>
    <div class="fields">
      ${select('version', say('version'), choice.isPinned ? 'pinned' : 'moving', [
        ...version,
        ['moving', say('moving')],
      ])}
    </div>
    <p class="hint">${say('versionHint')}</p>
    <p data-without-script><button class="button quiet" type="submit">${say('show')}</button></p>
  </section>`
}

/** What is asked for stays in the field, also where the snippets do not take it. */
function returnField(locale: Locale, channel: ChannelSettings, query: Record<string, string>): Markup {
  const { asked, fault } = readReturn(channel, query)
  const whose =
    channel.returnUrl === null
      ? sayInstall(locale, 'returnGuess', { url: RETURN_GUESS })
      : sayInstall(locale, 'returnSet')
  return html`<div class="return">
    <label>${sayInstall(locale, 'comeBack')}
      <input name="return" inputmode="url" autocapitalize="none" spellcheck="false" maxlength=${RETURN_MAX_CHARS} value=${asked} aria-describedby="return-fault return-hint" />
    </label>
    <p id="return-fault" class="fault" data-testid="return-fault">${fault && sayFinding(locale, fault)}</p>
    <p class="hint" id="return-hint">${whose} ${sayInstall(locale, 'returnHint')}</p>
  </div>`
}

function select(name: string, label: string, chosen: string, options: string[][], hint?: string): Markup {
  const hintId = `${name}-hint`
  return html`<label>${label}
    <select name=${name} aria-describedby=${hint && hintId}>
      ${options.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
    </select>
    ${hint && html`<small id=${hintId}>${hint}</small>`}
  </label>`
}

function colour(name: string, label: string, value: string): Markup {
  return html`<label>${label} <input type="color" name=${name} value=${value} /></label>`
}
