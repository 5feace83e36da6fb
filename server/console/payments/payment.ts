/** One payment: the sentence to read out, the money, what happened, and what can be done. */
import { expectOwn } from '../../access/roles.ts'
import { may } from '../../acts/policy.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { shortNumber } from '../../id.ts'
import { listWaitingFor, type Proposal } from '../../operator/approvals/listing.ts'
import { getTimeline, type Timeline } from '../../operator/payment-timeline.ts'
import { findStory } from '../../operator/story/story.ts'
import { actText } from '../../pages/approvals/messages.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, LOCALES, type Locale } from '../../pages/words/locale.ts'
import { buyerFacts } from '../buyer-facts.ts'
import { noticeOf } from '../form-parts.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { copyText } from '../page-parts.ts'
import { type FactLine, factList, sumText } from '../parts.ts'
import { refreshingPart } from '../refresh.ts'
import { translate } from '../words/translate.ts'
import { inShop, type View, viewOf } from '../world.ts'
import { factsOf } from './act-facts.ts'
import { actsOf } from './act-list.ts'
import { PAYMENT_ACTS } from './acts.ts'
import { happenedOf } from './happened.ts'
import { stateBadge } from './payment-rows.ts'
import { proofOf } from './proof.ts'
import { sentenceOf } from './sentence.ts'

const NOTICES = [...PAYMENT_ACTS.map(({ name }) => name), 'proposed'] as const

/** Returns the payment. A payment of another merchant is not found either. @throws AppError payment_not_found, not_found */
export async function findOwnPayment(visit: OwnVisit): Promise<{ view: View; timeline: Timeline }> {
  const view = await viewOf(visit)
  const timeline = await getTimeline(view.ctx, visit.params.id ?? '')
  const { merchantId } = timeline.payment
  expectOwn(visit.user, merchantId)
  return { view: await inShop(visit, view, merchantId), timeline }
}

export const payment: ConsolePage = {
  method: 'get',
  path: '/:world/payments/:id',
  needs: 'payment show',
  async handle(visit) {
    const { locale, query } = visit
    const { view, timeline } = await findOwnPayment(visit)
    const { payment: own } = timeline
    const facts = await factsOf(view.ctx, visit.user, timeline)
    const story = await findStory(view.ctx, timeline)
    const waiting = await listWaitingFor(view.ctx, own.id)
    const notice = NOTICES.find((each) => each === query.done)
    const title = translate(locale, 'paymentTitle', { number: shortNumber(own.id) })
    const isWaiting =
      own.status.startsWith('pending_') ||
      own.status === 'created' ||
      isAtWork(timeline) ||
      // Another person may grant it at any moment.
      waiting.length > 0
    const refreshing = {
      mark: [own.version, waiting.length, ...timeline.operations.map((each) => each.status)].join(' '),
    }
    const parts = html`<div class="beside">
      <div class="parts">
        <p class="sentence">${sentenceOf(locale, story)}</p>
        <details>
          <summary>${translate(locale, 'forBuyer')}</summary>
          ${LOCALES.map((each) => copyText(locale, { id: `buyer-${each}`, lang: each, text: sentenceOf(each, story) }))}
        </details>
        ${boughtOf(visit, timeline)}
        <h2>${translate(locale, 'money')}</h2>
        ${moneyOf(locale, timeline)}
        ${waitingOf(visit, view, waiting)}
        <h2>${translate(locale, 'canBeDone')}</h2>
        ${actsOf(visit, facts)}
      </div>
      <div class="parts">
        <h2>${translate(locale, 'whatHappened')}</h2>
        ${happenedOf(visit, view, timeline)}
        ${await proofOf(visit, view, timeline)}
      </div>
    </div>`
    const body = html`<div class="head"><h1>${title}</h1>${stateBadge(locale, own)}</div>
      ${noticeOf(notice ? translate(locale, `done_${notice}`) : null)}
      ${refreshingPart(refreshing, parts, { isWaiting })}
      <p><a href=${`/${view.world}/payments`}>${translate(locale, 'paymentsTitle')}</a></p>`
    return { kind: 'screen', title, body, ...(isWaiting && { refreshing }) }
  },
}

/** What another person has to grant before it is done. */
function waitingOf({ locale, user }: OwnVisit, { world }: View, waiting: readonly Proposal[]): Markup {
  if (waiting.length === 0) return null
  const row = ({ id, what, proposer, amountMinor, currency }: Proposal) => {
    const code = CURRENCY_CODES.find((each) => each === currency) ?? null
    const by = translate(locale, 'proposedBy', { name: proposer })
    const text = [actText(locale, what), sumText(amountMinor, code, locale), by].filter(Boolean).join(' · ')
    return html`<li>${may(user, 'approval list') ? html`<a href=${`/${world}/approvals/${id}`}>${text}</a>` : text}</li>`
  }
  return html`<div class="advice"><p>${translate(locale, 'approvalWaitsHere')}</p><ul>${waiting.map(row)}</ul></div>`
}

const isAtWork = ({ operations }: Timeline) =>
  operations.some(({ status }) => status === 'queued' || status === 'processing')

/** What was bought, by whom and for where, before the money. */
function boughtOf({ locale, user }: OwnVisit, { payment: own, merchantName }: Timeline): Markup {
  const { customer, metadata, productId, description, quantity } = own
  const what = description ?? productId
  const count = quantity && quantity > 1 ? ` × ${quantity}` : ''
  // The metadata of a sale of our own has the answers of the buyer. That of others is for programs.
  const isOwn = productId !== null
  const written = { buyer: { customer: customer ?? {}, metadata: isOwn ? (metadata ?? {}) : {} } }
  const buyer: FactLine[] = may(user, 'order list')
    ? buyerFacts({ ...written, sells: isOwn ? 'product' : null }, locale)
    : [[translate(locale, 'buyer'), customer?.name ?? customer?.email]]
  return html`<h2>${translate(locale, 'bought')}</h2>
    ${factList([
      [translate(locale, 'boughtWhat'), what && `${what}${count}`],
      [translate(locale, 'merchant'), user.merchantId === null ? merchantName : null],
      ...buyer,
      // The numbers that a button makes mean nothing to anybody.
      [translate(locale, 'order'), isOwn ? null : own.merchantOrderId],
    ])}
    <details>
      <summary>${translate(locale, 'numbers')}</summary>
      ${factList([
        [translate(locale, 'paymentId'), own.id],
        [translate(locale, 'order'), own.merchantOrderId],
      ])}
    </details>`
}

function moneyOf(locale: Locale, { payment: own }: Timeline): Markup {
  const sum = (minor: number) => formatAmount(minor, own.currency, locale)
  const { amountMinor, authorizedMinor, capturedMinor, refundedMinor, refundReservedMinor } = own
  return factList([
    [translate(locale, 'asked'), sum(amountMinor)],
    [translate(locale, 'held'), authorizedMinor > capturedMinor ? sum(authorizedMinor) : null],
    [translate(locale, 'taken'), sum(capturedMinor)],
    [translate(locale, 'returned'), sum(refundedMinor)],
    [translate(locale, 'beingReturned'), refundReservedMinor > 0 ? sum(refundReservedMinor) : null],
    [
      translate(locale, 'leftOfIt'),
      refundedMinor > 0 ? html`<strong>${sum(capturedMinor - refundedMinor)}</strong>` : null,
    ],
  ])
}
