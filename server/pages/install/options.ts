/** The install page's options: one form, whose response is the page itself. */
import { type ButtonChoice, RETURN_GUESS } from '../../channels/button.ts'
import { findingText } from '../../channels/doctor/finding.ts'
import { RETURN_MAX_CHARS } from '../../channels/doctor/return.ts'
import type { ChannelSettings } from '../../channels/settings.ts'
import { translate } from '../../messages/translate.ts'
import { CONTRAST_LEAST, contrastOf } from '../brand/style.ts'
import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'
import { BUTTON_LOCALES, LABEL_MAX_CHARS, RADIUS_MAX_PX, readReturn } from './choice.ts'
import { ground } from './snippets-section.ts'

export function optionsSection(locale: Locale, channel: ChannelSettings, choice: ButtonChoice): Markup {
  const { pinned } = channel.script
  const version = pinned ? [['pinned', translate(locale, 'install.pinned', { version: pinned.version })]] : []
  return html`<fieldset>
      <legend>${translate(locale, 'install.colours')}</legend>
      <div class="fields colours">
        ${colour('background', translate(locale, 'install.background'), choice.background.light)}
        ${colour('text', translate(locale, 'install.text'), choice.text.light)}
        ${colour('backgroundDark', translate(locale, 'install.backgroundDark'), choice.background.dark)}
        ${colour('textDark', translate(locale, 'install.textDark'), choice.text.dark)}
        <div class="field">
          <label for="radius">${translate(locale, 'install.radius')}</label>
          <input id="radius" type="number" name="radius" min="0" max=${RADIUS_MAX_PX} value=${choice.radiusPx} />
        </div>
      </div>
    </fieldset>
    <div id="contrast" role="status" data-testid="contrast">${contrastWarnings(locale, choice)}</div>
    <div id="preview-dark">${ground(locale, 'dark', channel, choice)}</div>
    <div class="fields">
      ${selectField('language', translate(locale, 'install.language'), choice.locale ?? '', [
        ['', translate(locale, 'install.languagePage')],
        ...Object.entries(BUTTON_LOCALES),
      ])}
      <div class="field">
        <label for="label">${translate(locale, 'install.label')}</label>
        <input id="label" name="label" maxlength=${LABEL_MAX_CHARS} value=${choice.label ?? ''} aria-describedby="label-hint" />
        <small id="label-hint">${translate(locale, 'install.labelHint')}</small>
      </div>
      ${selectField(
        'price',
        translate(locale, 'install.price'),
        choice.price === null ? 'hidden' : 'shown',
        [
          ['shown', translate(locale, 'install.priceShown')],
          ['hidden', translate(locale, 'install.priceHidden')],
        ],
        translate(locale, 'install.priceHint'),
      )}
    </div>
    ${selectField(
      'version',
      translate(locale, 'install.version'),
      choice.isPinned ? 'pinned' : 'moving',
      [...version, ['moving', translate(locale, 'install.moving')]],
      translate(locale, 'install.versionHint'),
    )}
    <p data-without-script><button class="button quiet" type="submit">${translate(locale, 'install.show')}</button></p>`
}

/** One warning for each colour scheme whose text is hard to read. */
function contrastWarnings(locale: Locale, { background, text }: ButtonChoice): Markup[] {
  const schemes = [
    ['install.contrastLight', contrastOf(background.light, text.light)],
    ['install.contrastDark', contrastOf(background.dark, text.dark)],
  ] as const
  return schemes
    .filter(([, contrast]) => contrast < CONTRAST_LEAST)
    .map(([key]) => html`<p class="fault">${translate(locale, key)}</p>`)
}

/** Where buyers return after paying. The typed text stays in the field, also if the snippets do not use it. */
export function returnSection(
  locale: Locale,
  channel: ChannelSettings,
  query: Record<string, string>,
): Markup {
  const { wanted, fault } = readReturn(channel, query)
  const whose =
    channel.returnUrl === null
      ? translate(locale, 'install.returnGuess', { url: RETURN_GUESS })
      : translate(locale, 'install.returnSet')
  return html`<div class="field">
      <label for="come-back">${translate(locale, 'install.comeBackPage')}</label>
      <input id="come-back" name="return" inputmode="url" autocapitalize="none" spellcheck="false" maxlength=${RETURN_MAX_CHARS} value=${wanted} aria-describedby="return-fault return-hint" />
      <p id="return-fault" class="fault" data-testid="return-fault">${fault && findingText(locale, fault)}</p>
    </div>
    <p class="hint" id="return-hint">${whose} ${translate(locale, 'install.returnHint')}</p>
    <p data-without-script><button class="button quiet" type="submit">${translate(locale, 'install.show')}</button></p>`
}

/** The hint is beside the label and not in it, because a screen reader reads the short name first and the hint after it. */
export function selectField(
  name: string,
  label: string,
  chosen: string,
  options: (readonly string[])[],
  hint?: string,
): Markup {
  const hintId = `${name}-hint`
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <select id=${name} name=${name} aria-describedby=${hint && hintId}>
      ${options.map(([value, text]) => html`<option value=${value} selected=${value === chosen}>${text}</option>`)}
    </select>
    ${hint && html`<small id=${hintId}>${hint}</small>`}
  </div>`
}

function colour(name: string, label: string, value: string): Markup {
  return html`<div class="field">
    <label for=${name}>${label}</label>
    <input id=${name} type="color" name=${name} value=${value} />
  </div>`
}
