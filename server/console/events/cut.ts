/** What the list of events is cut to. It stands in the address, and one tap takes each cut away. */
import { AppError } from '../../errors.ts'
import { shortNumber } from '../../id.ts'
import { EVENT_STATES, type EventState, getEvent } from '../../operator/event-history.ts'
import { takeDay } from '../../operator/finding/day.ts'
import { getPayment } from '../../operator/payment-timeline.ts'
import { html, type Markup } from '../../pages/html.ts'
import { hiddenFields, type Option, selectField } from '../form-parts.ts'
import type { OwnVisit } from '../page.ts'
import { filterTags } from '../page-parts.ts'
import { addressWith } from '../parts.ts'
import { translate } from '../words/translate.ts'
import type { ShopView } from '../world.ts'

const DAY_CHARS_MAX = 40
export const EVENT_ID = /^evt_[a-z0-9_]{10,70}$/
const PAYMENT_ID = /^pay_[a-z0-9_]{10,60}$/

/** `day`: as a person writes it. `payment`: the id of the one whose events are shown. */
export type EventsCut = {
  day: string
  days: { since?: Date; until?: Date }
  state: EventState | undefined
  payment: string | undefined
}

/** Returns null for a day that nobody understands. @throws AppError not_found for a payment of another shop, payment_not_found */
export async function readCut(given: Record<string, string>, view: ShopView): Promise<EventsCut | null> {
  const { ctx, timeZone } = view
  const day = given.day?.trim().slice(0, DAY_CHARS_MAX) ?? ''
  const state = EVENT_STATES.find((each) => each === given.state)
  const payment = given.payment ? await ownPayment(view, given.payment) : undefined
  if (day === '') return { day, days: {}, state, payment }
  const { days } = takeDay(day, ctx.clock.now(), timeZone)
  return days && { day, days, state, payment }
}

async function ownPayment({ ctx, merchantId }: ShopView, id: string): Promise<string> {
  if (!PAYMENT_ID.test(id)) throw new AppError('not_found')
  const payment = await getPayment(ctx, id)
  if (payment.merchantId !== merchantId) throw new AppError('not_found')
  return id
}

/** An event of another shop counts as unknown. @throws AppError not_found */
export async function ownAfter({ ctx, merchantId }: ShopView, after = ''): Promise<string | undefined> {
  if (!EVENT_ID.test(after)) return undefined
  const { event } = await getEvent(ctx, after)
  if (event.merchantId !== merchantId) throw new AppError('not_found')
  return after
}

/** The queries of the list with this cut. */
export const queryOf = (cut: EventsCut | null) => ({
  day: cut?.day,
  state: cut?.state,
  payment: cut?.payment,
})

/** `day`: as it was typed, also if nobody understands it. */
export function cutForm({ locale }: OwnVisit, day: string, cut: EventsCut | null): Markup {
  const states = EVENT_STATES.map((each): Option => [each, translate(locale, `event_${each}`)])
  return html`<search>
    <form method="get" class="fields">
      ${cut?.payment ? hiddenFields({ payment: cut.payment }) : null}
      <div class="pair">
        <p class="field"><label for="field-day">${translate(locale, 'day')}</label>
          <input id="field-day" name="day" value=${day} maxlength=${DAY_CHARS_MAX} autocomplete="off" aria-describedby="hint-day" /></p>
        ${selectField('state', translate(locale, 'status'), [['', translate(locale, 'anyStatus')], ...states], cut?.state ?? '')}
      </div>
      <small id="hint-day">${translate(locale, 'eventsDayHint')}</small>
      <button class="button quiet">${translate(locale, 'show')}</button>
    </form>
  </search>`
}

export function cutTags({ locale }: OwnVisit, own: string, cut: EventsCut | null): Markup {
  if (!cut) return null
  const { day, state, payment } = cut
  const all = queryOf(cut)
  const tags: [string, string][] = []
  if (payment) {
    const text = translate(locale, 'paymentTitle', { number: shortNumber(payment) })
    tags.push([text, addressWith(own, { ...all, payment: undefined })])
  }
  if (day) tags.push([day, addressWith(own, { ...all, day: undefined })])
  if (state) tags.push([translate(locale, `event_${state}`), addressWith(own, { ...all, state: undefined })])
  return filterTags(locale, tags)
}
