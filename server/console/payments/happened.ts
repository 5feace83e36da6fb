/** On the page of a payment: what happened, when, and by whom. */
import { may } from '../../acts/policy.ts'
import type { PaymentChangeRecord, Timeline } from '../../operator/payment-timeline.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import type { OwnVisit } from '../page.ts'
import { momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import type { View } from '../world.ts'

const ACTS = ['refund', 'capture', 'void'] as const

/** `detail`: in the words of the provider or of the person. */
type Moment = { at: Date; text: string; detail: string | null }

export function happenedOf(visit: OwnVisit, { timeZone }: View, timeline: Timeline): Markup {
  const { locale, user } = visit
  const { payment, changes, operations } = timeline
  const mayLog = may(user, 'payment log')
  const moments: Moment[] = [
    { at: payment.createdAt, text: translate(locale, 'happenedCreated'), detail: null },
    ...changes.map((change) => ({
      at: change.createdAt,
      text: `${translate(locale, `status_${change.toStatus}`)} · ${causeText(locale, change)}`,
      detail: change.detail,
    })),
    ...operations.map(({ createdAt, type, amountMinor, status, cause, reason, statusReason }) => ({
      at: createdAt,
      text: [
        translate(locale, `act_${ACTS.find((each) => each === type) ?? 'other'}`),
        amountMinor === null ? '' : formatAmount(amountMinor, payment.currency, locale),
        `(${translate(locale, status === 'succeeded' ? 'act_succeeded' : status === 'failed' ? 'act_failed' : 'act_running')})`,
        cause === 'service' ? `· ${translate(locale, 'by_service')}` : '',
        reason ? `· ${reason}` : '',
      ].join(' '),
      detail: statusReason,
    })),
  ]
  moments.sort((one, other) => one.at.getTime() - other.at.getTime())
  return html`<ol class="moments">
    ${moments.map(({ at, text, detail }) => html`<li><time datetime=${at.toISOString()}>${momentText(at, locale, timeZone)}</time> ${text}${mayLog && detail ? html` <small><bdi>${detail}</bdi></small>` : null}</li>`)}
  </ol>`
}

function causeText(locale: Locale, { cause, actor }: PaymentChangeRecord): string {
  return translate(locale, `by_${cause}`, { name: actor ?? translate(locale, 'somebody') })
}
