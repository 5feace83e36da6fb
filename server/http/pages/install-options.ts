/** The install page's options: one form, whose answer is the page itself. */
import type { ChannelSettings } from '../../merchants/channel-settings.ts'
import type { ButtonChoice } from '../../merchants/channel-snippets.ts'
import { html, type Markup } from './html.ts'
import { BUTTON_LOCALES, LABEL_MAX_CHARS, RADIUS_MAX_PX } from './install-choice.ts'
import { sayInstall } from './install-messages.ts'
import type { InstallKey } from './install-messages-en.ts'
import type { Locale } from './locale.ts'

export function optionsSection(locale: Locale, channel: ChannelSettings, choice: ButtonChoice): Markup {
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
      ${select('price', say('price'), choice.price === null ? 'hidden' : 'shown', [
        ['shown', say('priceShown')],
        ['hidden', say('priceHidden')],
      ])}
    </div>
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

function select(name: string, label: string, chosen: string, options: string[][]): Markup {
  return html`<label>${label}
    <select name=${name}>
      ${options.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
    </select>
  </label>`
}

function colour(name: string, label: string, value: string): Markup {
  return html`<label>${label} <input type="color" name=${name} value=${value} /></label>`
}
