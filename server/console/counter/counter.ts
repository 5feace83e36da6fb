/** The counter: did it go through? By a short number or a sum, with an answer that can be seen from the other side. */
import { expectOwn } from '../../access/roles.ts'
import { may } from '../../acts/policy.ts'
import { shortNumber } from '../../id.ts'
import { getPayment } from '../../operator/payment-timeline.ts'
import { html, type Markup } from '../../pages/html.ts'
import { qrCode } from '../../pages/qr-code.ts'
import { formatAmount, formatMoment, type Locale } from '../../pages/words/locale.ts'
import { linkUrl } from '../../payments/creation/link.ts'
import type { AttemptedPayment } from '../../storage/payments/payment.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { wideScreen } from '../page-parts.ts'
import { cutOfDay, isOtherDay } from '../payments/days.ts'
import { refreshingPart } from '../refresh.ts'
import { translate, translateAny } from '../words/translate.ts'
import { inShop, type View, viewOf } from '../world.ts'
import { candidatesOf } from './candidates.ts'
import { answerBlock, NOTHING_FOUND, signOf, verdictOf } from './verdict.ts'

const Q_CHARS_MAX = 60

const counter: ConsolePage = {
  method: 'get',
  path: '/:world/counter',
  needs: 'payment list',
  async handle(visit) {
    const { locale, query, user } = visit
    const view = await viewOf(visit)
    const q = query.q?.trim().slice(0, Q_CHARS_MAX) ?? ''
    const found = q === '' ? [] : await candidatesOf(view, q, { isOrder: isOtherDay(visit, view, q) })
    const [only] = found
    if (only && found.length === 1) return { kind: 'redirect', to: `/${view.world}/counter/${only.id}` }
    const title = translate(locale, 'counterTitle')
    const mayLink = user.merchantId !== null && may(user, 'link create')
    const body = html`${q !== '' && found.length === 0 ? html`<div role="status">${answerBlock(locale, NOTHING_FOUND)}</div>` : null}
      ${found.length > 1 ? html`<p class="lead" role="status">${translate(locale, 'counterSeveral')}</p>` : null}
      <ul class="rows">${found.map((payment) => candidateRow(locale, view, payment))}</ul>
      ${askForm(locale, view, q)}
      ${mayLink ? html`<p><a class="button quiet" href=${`/${view.world}/shops/${user.merchantId}/link`}>${translate(locale, 'newLink')}</a></p>` : null}
      <p><a href=${`/${view.world}/today`}>${translate(locale, 'todayTitle')}</a></p>`
    return wideScreen({ title, body })
  },
}

const answer: ConsolePage = {
  method: 'get',
  path: '/:world/counter/:id',
  needs: 'payment list',
  async handle(visit) {
    const { locale } = visit
    const { view, payment } = await findAtCounter(visit)
    const verdict = verdictOf({ status: payment.status, isUnderWay: payment.attempt.underWaySince !== null })
    const isWaiting = verdict.answer === 'wait'
    const refreshing = { mark: `${payment.version} ${verdict.head}` }
    const amount = formatAmount(payment.amountMinor, payment.currency, locale)
    const title = `${translateAny(locale, verdict.head)} · ${amount}`
    const lines = [
      translate(locale, 'counterNumber', { number: shortNumber(payment.id) }),
      formatMoment(payment.createdAt.toISOString(), locale, {
        year: true,
        timeZone: view.timeZone,
        isZoneKnown: true,
      }),
      payment.description,
      isOfToday(view, payment) ? null : translate(locale, 'counterOtherDay'),
    ]
    const content = html`${codeOf(visit, payment)} ${answerBlock(locale, verdict, { amount, lines })}`
    const body = html`<h1 class="unseen">${translate(locale, 'counterTitle')}</h1>
      ${refreshingPart(refreshing, content, { isWaiting })}
      <p><a class="button quiet" href=${`/${view.world}/counter`}>${translate(locale, 'counterNext')}</a></p>
      <p><a href=${`/${view.world}/payments/${payment.id}`}>${translate(locale, 'counterMore')}</a></p>`
    return { kind: 'screen', title, body, ...(isWaiting && { refreshing }) }
  },
}

/** Returns the payment. A payment of another merchant is not found either. @throws AppError payment_not_found, not_found */
async function findAtCounter(visit: OwnVisit): Promise<{ view: View; payment: AttemptedPayment }> {
  const view = await viewOf(visit)
  const payment = await getPayment(view.ctx, visit.params.id ?? '')
  expectOwn(visit.user, payment.merchantId)
  return { view: await inShop(visit, view, payment.merchantId), payment }
}

function isOfToday(view: View, { id }: AttemptedPayment): boolean {
  const { fromId, toId } = cutOfDay('created', 'today', view)
  return id >= (fromId ?? '') && id < (toId ?? '~')
}

/** For the buyer to scan, until somebody has begun to pay. */
function codeOf({ ctx, locale }: OwnVisit, { id, status }: AttemptedPayment): Markup {
  if (status !== 'created' && status !== 'pending_redirect') return null
  const address = linkUrl(ctx, id)
  return html`<figure class="scan">
    ${qrCode(address, translate(locale, 'scanTitle'))}
    <figcaption>${translate(locale, 'scanText')} <a class="long" href=${address} rel="noreferrer">${address}</a></figcaption>
  </figure>`
}

function candidateRow(locale: Locale, view: View, payment: AttemptedPayment): Markup {
  const { id, amountMinor, currency, status, createdAt } = payment
  const { answer: sign, head } = verdictOf({ status, isUnderWay: payment.attempt.underWaySince !== null })
  return html`<li>
    <a href=${`/${view.world}/counter/${id}`} class="row candidate">
      ${signOf(sign)}
      <strong>${formatAmount(amountMinor, currency, locale)} · ${translateAny(locale, head)}</strong>
      <span class="hint">${formatMoment(createdAt.toISOString(), locale, { timeZone: view.timeZone, isZoneKnown: true })} · ${shortNumber(id)}</span>
    </a>
  </li>`
}

function askForm(locale: Locale, { world }: View, q: string): Markup {
  return html`<search>
    <form method="get" action=${`/${world}/counter`} class="fields">
      <p class="field">
        <label for="q">${translate(locale, 'counterAsk')}</label>
        <input id="q" name="q" class="large" type="search" value=${q} maxlength=${Q_CHARS_MAX} autocomplete="off" autocapitalize="characters" enterkeyhint="search" aria-describedby="q-hint" />
        <small id="q-hint">${translate(locale, 'counterHint')}</small>
      </p>
      <button class="button">${translate(locale, 'counterCheck')}</button>
    </form>
  </search>`
}

export const COUNTER_PAGES: readonly ConsolePage[] = [counter, answer]
