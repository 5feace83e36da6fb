/** One payment: the sentence to read out, the money, what happened, and what can be done. */
import { expectOwn } from '../../access/roles.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import { shortNumber } from '../../id.ts'
import { getTimeline, type Timeline } from '../../operator/payment-timeline.ts'
import { findStory } from '../../operator/telling/story.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, formatMoment, LOCALES, type Locale } from '../../pages/words/locale.ts'
import { isReturnedByHand } from '../../payments/decisions/returned.ts'
import { livePart } from '../live.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { say } from '../words/say.ts'
import { type View, viewOf } from '../world.ts'
import { actsOf } from './act-list.ts'
import { PAYMENT_ACTS } from './acts.ts'
import { sentenceOf } from './sentence.ts'

const NOTICES = [...PAYMENT_ACTS.map(({ name }) => name), 'proposed'] as const

/** Another merchant's payment answers as one that does not exist. @throws AppError payment_not_found, not_found */
export async function findOwnPayment(visit: OwnVisit): Promise<{ view: View; timeline: Timeline }> {
  const view = await viewOf(visit)
  const timeline = await getTimeline(view.ctx, visit.params.id ?? '')
  expectOwn(visit.user, timeline.payment.merchantId)
  return { view, timeline }
}

export const payment: ConsolePage = {
  method: 'get',
  path: '/:world/payments/:id',
  needs: 'payment show',
  async handle(visit) {
    const { locale, query } = visit
    const { view, timeline } = await findOwnPayment(visit)
    const { payment: own } = timeline
    const facts = { ...timeline, isByHand: await isReturnedByHand(view.ctx, own) }
    const story = await findStory(view.ctx, timeline)
    const told = { ...story, timeZone: view.timeZone }
    const notice = NOTICES.find((each) => each === query.done)
    const title = say(locale, 'paymentTitle', { number: shortNumber(own.id) })
    const isWaiting = own.status.startsWith('pending_') || own.status === 'created' || isAtWork(timeline)
    const live = { mark: [own.version, ...timeline.operations.map((each) => each.status)].join(' ') }
    const parts = html`<div class="parts">
      <p class="sentence">${sentenceOf(locale, told)}</p>
      <details>
        <summary>${say(locale, 'forBuyer')}</summary>
        ${LOCALES.map((each) => html`<p><strong>${LANGUAGES[each].own}</strong><br /><span lang=${each}>${sentenceOf(each, told)}</span></p>`)}
      </details>
      <h2>${say(locale, 'money')}</h2>
      ${moneyOf(locale, timeline)}
      <h2>${say(locale, 'canBeDone')}</h2>
      ${actsOf(visit, facts)}
      <h2>${say(locale, 'whatHappened')}</h2>
      ${happenedOf(locale, view, timeline)}
    </div>`
    const body = html`<h1>${title}</h1>
      ${notice ? html`<p class="done" role="status">${say(locale, `done_${notice}`)}</p>` : null}
      ${livePart(live, parts, { isWaiting })}
      <p><a href=${`/${view.world}/payments`}>${say(locale, 'paymentsTitle')}</a></p>`
    return { kind: 'screen', title, body, ...(isWaiting && { live }) }
  },
}

const isAtWork = ({ operations }: Timeline) =>
  operations.some(({ status }) => status === 'queued' || status === 'processing')

function moneyOf(locale: Locale, { payment: own, merchantName }: Timeline): Markup {
  const sum = (minor: number) => formatAmount(minor, own.currency, locale)
  const lines: [string, string | null][] = [
    [say(locale, 'asked'), sum(own.amountMinor)],
    [say(locale, 'held'), own.authorizedMinor > own.capturedMinor ? sum(own.authorizedMinor) : null],
    [say(locale, 'taken'), sum(own.capturedMinor)],
    [say(locale, 'returned'), sum(own.refundedMinor)],
    [say(locale, 'beingReturned'), own.refundReservedMinor > 0 ? sum(own.refundReservedMinor) : null],
    [say(locale, 'order'), own.merchantOrderId],
    [say(locale, 'merchant'), merchantName],
    [say(locale, 'buyer'), own.customer?.name ?? own.customer?.email ?? null],
    [say(locale, 'paymentId'), own.id],
  ]
  return html`<dl class="facts">
    ${lines.map(([name, text]) => (text === null ? null : html`<div><dt>${name}</dt><dd>${text}</dd></div>`))}
  </dl>`
}

function happenedOf(
  locale: Locale,
  { timeZone }: View,
  { payment: own, changes, operations }: Timeline,
): Markup {
  const when = (at: Date) => formatMoment(at.toISOString(), locale, { year: true, timeZone })
  const moments = [
    { at: own.createdAt, text: say(locale, 'happenedCreated') },
    ...changes.map(({ createdAt, toStatus, actor }) => ({
      at: createdAt,
      text: say(locale, `status_${toStatus}`) + (actor ? ` · ${actor}` : ''),
    })),
    ...operations.map(({ createdAt, type, amountMinor, status, reason }) => ({
      at: createdAt,
      text: [
        say(locale, `act_${type === 'refund' || type === 'capture' || type === 'void' ? type : 'other'}`),
        amountMinor === null ? '' : formatAmount(amountMinor, own.currency, locale),
        `(${say(locale, status === 'succeeded' ? 'act_succeeded' : status === 'failed' ? 'act_failed' : 'act_running')})`,
        reason ? `· ${reason}` : '',
      ].join(' '),
    })),
  ].sort((one, other) => one.at.getTime() - other.at.getTime())
  return html`<ol class="moments">
    ${moments.map(({ at, text }) => html`<li><time datetime=${at.toISOString()}>${when(at)}</time> ${text}</li>`)}
  </ol>`
}
