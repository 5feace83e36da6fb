/** The install page's options: one form, whose response is the page itself. */
import { type ButtonChoice, RETURN_GUESS } from '../../channels/button.ts'
import { RETURN_MAX_CHARS } from '../../channels/doctor/return.ts'
import type { ChannelSettings } from '../../channels/settings.ts'
import { CONTRAST_LEAST, contrastOf } from '../brand/contrast.ts'
import { html, type Markup } from '../html.ts'
import { sayFinding, sayInstall } from '../words/install-messages.ts'
import type { InstallKey } from '../words/install-messages-en.ts'
import type { Locale } from '../words/locale.ts'
import { BUTTON_LOCALES, LABEL_MAX_CHARS, RADIUS_MAX_PX, readReturn } from './choice.ts'
import { ground } from './snippets-section.ts'

export function optionsSection(locale: Locale, channel: ChannelSettings, choice: ButtonChoice): Markup {
  const say = (key: InstallKey, values?: Record<string, string>) => sayInstall(locale, key, values)
  const { pinned } = channel.script
  const version = pinned ? [['pinned', say('pinned', { version: pinned.version })]] : []
  return html`<fieldset>
      <legend>${say('colours')}</legend>
      <div class="fields colours">
        ${colour('background', say('background'), choice.background.light)}
        ${colour('text', say('text'), choice.text.light)}
        ${colour('backgroundDark', say('backgroundDark'), choice.background.dark)}
        ${colour('textDark', say('textDark'), choice.text.dark)}
        <div class="field">
          <label for="radius">${say('radius')}</label>
          <input id="radius" type="number" name="radius" min="0" max=${RADIUS_MAX_PX} value=${choice.radiusPx} />
        </div>
      </div>
    </fieldset>
    <div id="contrast" role="status" data-testid="contrast">${contrastWarnings(locale, choice)}</div>
    <div id="preview-dark">${ground(locale, 'dark', channel, choice)}</div>
    <div class="fields">
      ${selectField('language', say('language'), choice.locale ?? '', [
        ['', say('languagePage')],
        ...Object.entries(BUTTON_LOCALES),
      ])}
      <div class="field">
        <label for="label">${say('label')}</label>
        <input id="label" name="label" maxlength=${LABEL_MAX_CHARS} value=${choice.label ?? ''} aria-describedby="label-hint" />
        <small id="label-hint">${say('labelHint')}</small>
      </div>
      ${selectField(
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
    ${selectField(
      'version',
      say('version'),
      choice.isPinned ? 'pinned' : 'moving',
      [...version, ['moving', say('moving')]],
      say('versionHint'),
    )}
    <p data-without-script><button class="button quiet" type="submit">${say('show')}</button></p>`
}

/** One warning for each colour scheme whose text is hard to read. */
function contrastWarnings(locale: Locale, { background, text }: ButtonChoice): Markup[] {
  const schemes = [
    ['contrastLight', contrastOf(background.light, text.light)],
    ['contrastDark', contrastOf(background.dark, text.dark)],
  ] as const
  return schemes
    .filter(([, contrast]) => contrast < CONTRAST_LEAST)
    .map(([key]) => html`<p class="fault">${sayInstall(locale, key)}</p>`)
}

/** Where buyers return after paying. The typed text stays in the field, also if the snippets do not use it. */
export function returnSection(
  locale: Locale,
  channel: ChannelSettings,
  query: Record<string, string>,
): Markup {
  const { asked, fault } = readReturn(channel, query)
  const whose =
    channel.returnUrl === null
      ? sayInstall(locale, 'returnGuess', { url: RETURN_GUESS })
      : sayInstall(locale, 'returnSet')
  return html`<div class="field">
      <label for="come-back">${sayInstall(locale, 'comeBackPage')}</label>
      <input id="come-back" name="return" inputmode="url" autocapitalize="none" spellcheck="false" maxlength=${RETURN_MAX_CHARS} value=${asked} aria-describedby="return-fault return-hint" />
      <p id="return-fault" class="fault" data-testid="return-fault">${fault && sayFinding(locale, fault)}</p>
    </div>
    <p class="hint" id="return-hint">${whose} ${sayInstall(locale, 'returnHint')}</p>
    <p data-without-script><button class="button quiet" type="submit">${sayInstall(locale, 'show')}</button></p>`
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
