import { html, type Markup } from '../html.ts'
import type { Locale } from '../words/locale.ts'
import { say } from '../words/messages.ts'
import { type AskedEmail, emailField } from './email-field.ts'
import { type FormField, fieldInputs } from './product-fields.ts'

/** The buyer chooses how to pay: one button for each route. `action`: the address to which the choice is posted. */
export type ChoiceControl = {
  kind: 'choice'
  action: string
  options: readonly { route: string; label: string }[]
}

/** Plain submit buttons. One press chooses the route and goes on, without a script. */
export function choiceForm(
  locale: Locale,
  { action, options }: ChoiceControl,
  email?: AskedEmail | undefined,
  fields?: readonly FormField[],
): Markup {
  return html`<form class="choices routes" method="post" action=${action} aria-labelledby="choose">
    ${emailField(locale, email)}
    ${fieldInputs(locale, fields)}
    <p class="note" id="choose">${say(locale, 'chooseRoute')}</p>
    <ul>${options.map(({ route, label }) => html`<li><button class="button" type="submit" name="route" value=${route} data-testid="choose">${label}</button></li>`)}</ul>
  </form>`
}
