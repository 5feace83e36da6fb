/** The fields by which the list of payments is cut, and the tags that take each cut away. */
import { may } from '../../acts/policy.ts'
import { PROVIDER_ROUTES, type ProviderRoute } from '../../contract/fields.ts'
import { PAYMENT_STATUSES, type PaymentStatus } from '../../contract/payment.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { field, hiddenFields, type Option, selectField, tick } from '../form-parts.ts'
import type { OwnVisit } from '../page.ts'
import { filterTags } from '../page-parts.ts'
import { readAmount } from '../typed-amount.ts'
import { translate } from '../words/translate.ts'
import type { View } from '../world.ts'
import { DAYS, type Day, TIMES_OF, type TimeOf } from './days.ts'
import { addressOf, dayOf, Q_CHARS_MAX, type Typed } from './filters.ts'
import { routeText } from './routes.ts'

/** One line, for a screen on which something else comes first. */
export function quickSearch(locale: Locale, world: string): Markup {
  const what = translate(locale, 'find')
  return html`<search>
    <form method="get" action=${`/${world}/payments`} class="quick">
      <label for="q" class="unseen">${what}</label>
      <input id="q" name="q" type="search" placeholder=${what} title=${translate(locale, 'findHint')} maxlength=${Q_CHARS_MAX} autocomplete="off" />
      <button class="button quiet">${translate(locale, 'show')}</button>
    </form>
  </search>`
}

/** `more`: the fields beside the one field. They fold away, because the payments are what somebody has come for. */
export function searchForm(locale: Locale, world: string, q: string, more: Markup): Markup {
  const what = translate(locale, 'find')
  return html`<search>
    <form method="get" action=${`/${world}/payments`} class="find">
      <p class="quick">
        <label for="q" class="unseen">${what}</label>
        <input id="q" name="q" type="search" value=${q} placeholder=${what} maxlength=${Q_CHARS_MAX} aria-describedby="q-hint" autocomplete="off" />
        <button class="button">${translate(locale, 'show')}</button>
      </p>
      <small id="q-hint">${translate(locale, 'findHint')}</small>
      ${more}
    </form>
  </search>`
}

export function filterFields({ locale, user }: OwnVisit, { ctx }: View, typed: Typed): Markup {
  const { status, q, of = 'created', day = q || typed.from || typed.until ? 'all' : 'today' } = typed
  // A cashier comes from a number of today, and keeps to it.
  if (!may(user, 'payment history'))
    return hiddenFields({ ...(status && { status }), ...(of === 'moved' && { of }) })
  const text = (name: 'from' | 'until' | 'min' | 'max', inputmode: string) =>
    field({
      name,
      inputmode,
      label: translate(locale, `filter_${name}`),
      value: typed[name] ?? '',
      isOptional: true,
    })
  const isOpen = [typed.of, typed.from, typed.until, typed.min, typed.max, typed.route, typed.warned].some(
    Boolean,
  )
  const days = DAYS.map((each): Option => [each, translate(locale, `day_${each}`)])
  const times = TIMES_OF.map((each): Option => [each, translate(locale, `timeOf_${each}`)])
  const statuses = PAYMENT_STATUSES.map((each): Option => [each, translate(locale, `status_${each}`)])
  const routes = PROVIDER_ROUTES.filter((each) => ctx.routes[each].driver || each === typed.route)
  return html`<details class="more" open=${isOpen}>
      <summary>${translate(locale, 'filters')}</summary>
      <div class="pair">
        ${selectField('day', translate(locale, 'day'), days, day)}
        ${selectField('status', translate(locale, 'status'), [['', translate(locale, 'anyStatus')], ...statuses], status ?? '')}
      </div>
      ${selectField('of', translate(locale, 'timeOf'), times, of)}
      <div class="pair">${text('from', 'text')} ${text('until', 'text')}</div>
      <p class="hint">${translate(locale, 'filterDayHint')}</p>
      <div class="pair">${text('min', 'decimal')} ${text('max', 'decimal')}</div>
      ${selectField('route', translate(locale, 'route'), [['', translate(locale, 'anyRoute')], ...routes.map((each): Option => [each, routeText(locale, ctx, each)])], typed.route ?? '')}
      ${tick('warned', translate(locale, 'filter_warned'), typed.warned === 'yes')}
      <button class="button quiet">${translate(locale, 'show')}</button>
    </details>`
}

/** One tap takes each away. What nobody understands has no tag: it stands in its field, with the word for it. */
export function chosenTags({ locale, user }: OwnVisit, view: View, typed: Typed): Markup {
  const mayChooseDay = may(user, 'payment history')
  const words: { [Name in keyof Typed]-?: (text: string) => string | null } = {
    q: (text) => text,
    day: (text) => (mayChooseDay && text !== 'all' ? translate(locale, `day_${text as Day}`) : null),
    of: (text) => translate(locale, `timeOf_${text as TimeOf}`),
    status: (text) => translate(locale, `status_${text as PaymentStatus}`),
    from: (text) => dayText(text, 'filterFrom'),
    until: (text) => dayText(text, 'filterUntil'),
    min: (text) => amountText(text, 'filterMin'),
    max: (text) => amountText(text, 'filterMax'),
    route: (text) => routeText(locale, view.ctx, text as ProviderRoute),
    warned: () => translate(locale, 'filter_warned'),
  }
  const dayText = (text: string, key: 'filterFrom' | 'filterUntil') => {
    const found = dayOf(text, view)
    const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: view.timeZone })
    return found && translate(locale, key, { day: format.format(found.since) })
  }
  const amountText = (text: string, key: 'filterMin' | 'filterMax') =>
    typeof readAmount(text, 'USD') === 'string' ? null : translate(locale, key, { amount: text })
  const names = Object.keys(words) as (keyof Typed)[]
  const cuts = names.flatMap((name): [string, string][] => {
    const value = typed[name]
    const text = value === undefined ? null : words[name](value)
    // Without a day the list shows today, so the address has to say that it is all days.
    const rest = { ...typed, [name]: name === 'day' || isLastDay(name, typed) ? 'all' : undefined }
    const { [name]: own, ...others } = rest
    return text === null
      ? []
      : [[text, addressOf(view.world, own === 'all' ? { ...others, day: 'all' } : others)]]
  })
  return filterTags(locale, cuts)
}

const isLastDay = (name: keyof Typed, { from, until }: Typed) =>
  (name === 'from' && until === undefined) || (name === 'until' && from === undefined)
