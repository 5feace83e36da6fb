import type { RouteMark } from '../../contract/route-mark.ts'
import { textIn } from '../../merchants/branding.ts'
import type { MerchantRoute } from '../../merchants/routes.ts'
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import { methodMark } from '../icon.ts'
import type { Locale } from '../words/locale.ts'
import { type AskedEmail, emailField } from './email-field.ts'
import { type FormField, fieldInputs } from './product-fields.ts'

/** The buyer chooses how to pay: one button for each route. `action`: the address to which the choice is posted. */
export type ChoiceControl = {
  kind: 'choice'
  action: string
  options: readonly RouteOption[]
}

export type RouteOption = { route: string; label: string; mark?: RouteMark | undefined }

export function routeOptions(locale: Locale, routes: readonly MerchantRoute[]): RouteOption[] {
  return routes.map(({ route, label, labels, mark }) => ({
    route,
    label: textIn(locale, labels, label),
    mark,
  }))
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
    ${routeButtons(locale, options)}
  </form>`
}

/** The text names the method, and the mark beside it is a decoration. */
export function routeButtons(locale: Locale, options: readonly RouteOption[]): Markup {
  return html`<p class="note" id="choose">${translate(locale, 'pages.chooseRoute')}</p>
    <ul>${options.map(
      ({ route, label, mark }) =>
        html`<li><button class="button" type="submit" name="route" value=${route} data-testid="choose">${mark && methodMark(mark)}<span>${label}</span></button></li>`,
    )}</ul>`
}
