/** The way back from one provider to the choice between all ways to pay. */
import { translate } from '../../messages/translate.ts'
import { html, type Markup } from '../html.ts'
import { ownOrWebAddress } from '../web-address.ts'
import { formatMoment } from '../words/locale.ts'
import type { PaymentFacts } from './payment-frame.ts'

/** The field of a form that leaves the open order. */
export const LEAVE = 'leave'

/** `keptUntil`: until when the open order can be paid. Present if the buyer wanted to leave it, and it may still bring money. ISO 8601. */
export type OtherWay = { action: string; keptUntil?: string }

/** The button that leaves the open order, or why it was not left. */
export function otherWayPart(
  { locale, brand }: Pick<PaymentFacts, 'locale' | 'brand'>,
  way: OtherWay | undefined,
): Markup {
  if (!way) return null
  const { keptUntil } = way
  const moment = keptUntil && formatMoment(keptUntil, locale, { timeZone: brand?.timeZone })
  if (moment)
    return html`<p class="alert" role="status" data-testid="kept">${translate(locale, 'pages.keptText', { moment })}</p>`
  const action = ownOrWebAddress(way.action)
  if (!action) return null
  return html`<form method="post" action=${action}>
    <button class="button quiet" type="submit" name=${LEAVE} value="1" data-testid="other-way">${translate(locale, 'pages.otherWay')}</button>
  </form>`
}
