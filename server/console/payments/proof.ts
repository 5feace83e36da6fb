/** On the page of a payment: by what its money is proved. A cashier sees who has proved it, and nothing of how providers work. */
import { may } from '../../acts/policy.ts'
import { shortNumber } from '../../id.ts'
import { findOrderOf } from '../../operator/orders/orders.ts'
import type { Attempt, Timeline } from '../../operator/payment-timeline.ts'
import { bankReferenceOf, knownFrom } from '../../operator/story/proof.ts'
import { html, type Markup } from '../../pages/html.ts'
import { numberOf } from '../../pages/orders/order-rows.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import type { AttemptFacts } from '../../payments/attempts/attempt.ts'
import type { OwnVisit } from '../page.ts'
import { type FactLine, factList, momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import type { View } from '../world.ts'
import { routeText } from './routes.ts'

/** How many of the newest attempts and warnings are shown. A payment seldom has more. */
const SHOWN_MAX = 20

const factsOf = (attempt: Attempt) => (attempt.facts ?? {}) as AttemptFacts

export async function proofOf(visit: OwnVisit, view: View, timeline: Timeline): Promise<Markup> {
  const { locale, user } = visit
  const mayLog = may(user, 'payment log')
  return html`<h2>${translate(locale, 'proofTitle')}</h2>
    ${factList([
      [translate(locale, 'knownFrom'), knownText(locale, timeline)],
      [translate(locale, 'paidWith'), instrumentText(locale, factsOf(timeline.payment.attempt).instrument)],
      ...(mayLog ? internalsOf(visit, view, timeline) : []),
    ])}
    ${mayLog ? attemptsOf(visit, view, timeline) : null}
    ${receiptsOf(visit, timeline)}
    ${mayLog ? warningsOf(visit, view, timeline) : null}
    ${await linksOf(visit, view, timeline)}`
}

function knownText(locale: Locale, timeline: Timeline): string {
  const known = knownFrom(timeline)
  if (!known) return translate(locale, 'known_nothing')
  return translate(locale, `known_${known.kind}`, { name: known.name ?? translate(locale, 'somebody') })
}

/** Such as `card, Visa ···· 4242`. Providers write brands in small letters. */
function instrumentText(locale: Locale, instrument: AttemptFacts['instrument']): string | null {
  if (!instrument) return null
  const { kind, brand, last4 } = instrument
  const name = brand && brand[0]?.toUpperCase() + brand.slice(1)
  const card = [name, last4 && `···· ${last4}`].filter(Boolean).join(' ')
  return [translate(locale, `paidWith_${kind}`), card].filter(Boolean).join(', ')
}

function internalsOf({ locale }: OwnVisit, view: View, timeline: Timeline): FactLine[] {
  const { attempt, currency } = timeline.payment
  const facts = factsOf(attempt)
  const { dispute, inquiry } = facts
  const sum = (minor: number) => formatAmount(minor, currency, locale)
  const until = dispute?.answerBy ?? inquiry?.answerBy ?? null
  return [
    [translate(locale, 'route'), routeText(locale, view.ctx, attempt.provider)],
    [translate(locale, 'ourNumberThere'), attempt.reference],
    [translate(locale, 'theirNumber'), facts.providerTransactionId],
    [translate(locale, 'bankReference'), bankReferenceOf(timeline)],
    [translate(locale, 'approvalCode'), facts.approvalCode],
    [translate(locale, 'bankSays'), facts.detail],
    [translate(locale, 'disputedSum'), attempt.disputedMinor > 0 ? sum(attempt.disputedMinor) : null],
    [translate(locale, 'disputeReason'), dispute?.reason ?? inquiry?.reason],
    [translate(locale, 'inquiryOpen'), inquiry && sum(inquiry.amountMinor)],
    [translate(locale, 'answerUntil'), momentText(until, locale, view.timeZone)],
  ]
}

function attemptsOf({ locale }: OwnVisit, { ctx, timeZone }: View, { attempts }: Timeline): Markup {
  return html`<h3>${translate(locale, 'attemptsTitle')}</h3>
    <ol class="moments">
      ${attempts.slice(-SHOWN_MAX).map((attempt) => {
        const { number, begunAt, provider } = attempt
        return html`<li value=${number}><time datetime=${begunAt.toISOString()}>${momentText(begunAt, locale, timeZone)}</time>
          ${number}. ${stateText(locale, attempt)} · ${routeText(locale, ctx, provider)}</li>`
      })}
    </ol>`
}

function stateText(locale: Locale, attempt: Attempt): string {
  const { declineCategory } = factsOf(attempt)
  const isWorkedOn = attempt.underWaySince !== null
  return [
    translate(locale, isWorkedOn ? 'attempt_under_way' : `attempt_${attempt.state}`),
    // An open order has it too, after a card that was declined.
    attempt.state !== 'paid' && declineCategory ? translate(locale, `decline_${declineCategory}`) : null,
  ]
    .filter(Boolean)
    .join(': ')
}

function receiptsOf({ locale }: OwnVisit, { receipts }: Timeline): Markup {
  if (receipts.length === 0) return null
  return html`<h3>${translate(locale, 'receiptsTitle')}</h3>
    ${factList(
      receipts
        .slice(-SHOWN_MAX)
        .map(
          ({ kind, amountMinor, currency, status, number }): FactLine => [
            `${translate(locale, `receipt_${kind}`)}, ${formatAmount(amountMinor, currency, locale)}`,
            [translate(locale, `receipt_${status}`), number && translate(locale, 'receiptNo', { number })]
              .filter(Boolean)
              .join(', '),
          ],
        ),
    )}`
}

function warningsOf({ locale }: OwnVisit, { timeZone }: View, { warnings }: Timeline): Markup {
  if (warnings.length === 0) return null
  return html`<h3>${translate(locale, 'warningsTitle')}</h3>
    <ul class="moments">
      ${warnings.slice(-SHOWN_MAX).map(
        ({ createdAt, detail, settledBy, settledWhy }) => html`<li>
          <time datetime=${createdAt.toISOString()}>${momentText(createdAt, locale, timeZone)}</time>
          <bdi lang="en">${detail}</bdi>
          ${settledBy ? html` <small>${translate(locale, 'warningSettled', { name: settledBy, why: settledWhy ?? '' })}</small>` : null}
        </li>`,
      )}
    </ul>`
}

/** Where more is known of it. */
async function linksOf(
  { locale, user }: OwnVisit,
  { ctx, world }: View,
  { payment }: Timeline,
): Promise<Markup> {
  const { merchantId, id, attempt } = payment
  const shop = `/${world}/shops/${merchantId}`
  const order = may(user, 'order list') ? await findOrderOf(ctx, payment) : null
  const owner = ctx.accounts.recall()?.byId.get(attempt.accountId)?.record.owner ?? null
  // A person of one shop sees only the shop's own accounts.
  const mayAccount = may(user, 'account list') && (user.merchantId === null || owner === user.merchantId)
  return html`<ul class="ways-on">
    ${may(user, 'event list') ? html`<li><a class="way-on" href=${`${shop}/events?payment=${id}`}>${translate(locale, 'eventsOfPayment')}</a></li>` : null}
    ${order ? html`<li><a class="way-on" href=${`${shop}/orders/${order.id}`}>${translate(locale, 'orderOfPayment', { number: numberOf(order) })}</a></li>` : null}
    ${mayAccount ? html`<li><a class="way-on" href=${`/${world}/accounts/${attempt.accountId}`}>${translate(locale, 'account')} ${shortNumber(attempt.accountId)}</a></li>` : null}
  </ul>`
}
