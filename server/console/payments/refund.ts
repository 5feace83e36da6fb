/**
 * Giving money back. The first form is tried out and shown again, and only the second one does it. What the person saw is part of the
 * key: two forms that saw the same do one refund between them, however often and from wherever they are sent.
 */
import { actAs } from '../../access/acting.ts'
import type { Context } from '../../context.ts'
import { shortNumber } from '../../id.ts'
import { actOnMoney, type MoneyAct } from '../../operator/acts/money.ts'
import { doOrRehearse } from '../../operator/acts/rehearse.ts'
import { doOrPropose } from '../../operator/approvals/approvals.ts'
import type { Timeline } from '../../operator/payment-timeline.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import { decimalAmount } from '../../payments/money.ts'
import { leftToRefund } from '../../payments/operations/money.ts'
import type { UserRecord } from '../../storage/access/users.ts'
import { alertOf, field } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { refusalOf } from '../refusals.ts'
import { readAmount } from '../typed-amount.ts'
import { type ConsoleKey, say } from '../words/say.ts'
import { type View, worldOf } from '../world.ts'
import { findOwnPayment } from './payment.ts'

const WHY_CHARS_MAX = 240

const refundPage: ConsolePage = {
  method: 'get',
  path: '/:world/payments/:id/refund',
  needs: 'payment refund',
  async handle(visit) {
    const { view, timeline } = await findOwnPayment(visit)
    return formScreen(visit, view, timeline)
  },
}

const refundForm: ConsolePage = {
  method: 'post',
  path: '/:world/payments/:id/refund',
  needs: 'payment refund',
  async handle(visit) {
    const { form, user, address, locale } = visit
    const { view, timeline } = await findOwnPayment(visit)
    const { payment } = timeline
    const again = (key: ConsoleKey, values: Record<string, string> = {}) =>
      formScreen(visit, view, timeline, say(locale, key, values))
    if (form.seen !== seenOf(timeline)) return again('refundChanged')
    const amountMinor = readAmount(form.amount, payment.currency)
    const why = form.why?.trim() ?? ''
    if (amountMinor === null) return again('amountWrong')
    if (why === '' || [...why].length > WHY_CHARS_MAX)
      return again('whyWrong', { chars: String(WHY_CHARS_MAX) })
    const limit = limitOf(user, timeline)
    if (limit !== null && amountMinor > limit)
      return again('aboveLimit', { amount: formatAmount(Math.max(0, limit), payment.currency, locale) })
    const args: MoneyAct = { paymentId: payment.id, amountMinor, why, key: `console ${form.seen}` }
    const acting = actAs(worldOf(visit), user, { address, what: 'payment refund', about: payment.id })
    try {
      if (form.confirm !== 'yes') {
        await doOrRehearse(acting.ctx, { dryRun: true }, (ctx: Context) =>
          actOnMoney(ctx, 'refund', args, user.name),
        )
        return confirmScreen(visit, view, timeline, { amountMinor, why })
      }
      const decided = await doOrPropose(acting.ctx, user, 'payment refund', args)
      const done = 'proposed' in decided ? 'proposed' : 'refunded'
      return { kind: 'redirect', to: `/${view.world}/payments/${payment.id}?done=${done}` }
    } catch (error) {
      return formScreen(visit, view, timeline, refusalOf(locale, error))
    }
  },
}

/** Counts every operation of the payment. Any other one since then means that the person has not seen the present state. */
const seenOf = ({ operations }: Timeline): string => String(operations.length)

/** What the person may still give back of this payment; null without a limit. What others gave back of it counts too. */
function limitOf({ refundLimits }: UserRecord, { payment }: Timeline): number | null {
  if (refundLimits === null) return null
  return (refundLimits[payment.currency] ?? 0) - payment.refundedMinor - payment.refundReservedMinor
}

function formScreen(visit: OwnVisit, { world }: View, timeline: Timeline, problem?: string): Screen {
  const { locale, form, user } = visit
  const { payment } = timeline
  const left = leftToRefund(payment)
  const limit = limitOf(user, timeline)
  const most = Math.max(0, limit === null ? left : Math.min(left, limit))
  const title = say(locale, 'refundTitle', { number: shortNumber(payment.id) })
  const { currency } = payment
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${alertOf(problem)}
    <p class="lead">${say(locale, 'upTo', { amount: formatAmount(left, currency, locale) })}</p>
    ${limit !== null && limit < left ? html`<p>${say(locale, 'aboveLimit', { amount: formatAmount(most, currency, locale) })}</p>` : null}
    ${
      most === 0
        ? null
        : html`<form method="post" class="fields">
            <input type="hidden" name="seen" value=${seenOf(timeline)} />
            ${field({ name: 'amount', label: say(locale, 'amountIn', { currency }), value: form.amount ?? decimalAmount(most, currency), inputmode: 'decimal' })}
            ${field({ name: 'why', label: say(locale, 'why'), value: form.why ?? '', hint: say(locale, 'whyHint') })}
            <button class="button">${say(locale, 'next')}</button>
          </form>`
    }
    ${backTo(visit, world)}
  </div>`
  return { kind: 'screen', title, body, ...(problem !== undefined && { status: 422 }) }
}

function confirmScreen(
  visit: OwnVisit,
  { world }: View,
  timeline: Timeline,
  { amountMinor, why }: { amountMinor: number; why: string },
): Screen {
  const { locale } = visit
  const { payment } = timeline
  const { currency } = payment
  const title = say(locale, 'refundSure')
  const amount = formatAmount(amountMinor, currency, locale)
  const rest = formatAmount(leftToRefund(payment) - amountMinor, currency, locale)
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    <p class="sentence">${say(locale, 'refundWill', { amount, number: shortNumber(payment.id), rest })}</p>
    <p>${say(locale, payment.customer?.email ? 'buyerTold' : 'buyerNotTold')}</p>
    <form method="post" class="fields">
      <input type="hidden" name="seen" value=${seenOf(timeline)} />
      <input type="hidden" name="amount" value=${decimalAmount(amountMinor, currency)} />
      <input type="hidden" name="why" value=${why} />
      <input type="hidden" name="confirm" value="yes" />
      <button class="button">${say(locale, 'refundDo', { amount })}</button>
    </form>
    ${backTo(visit, world)}
  </div>`
  return { kind: 'screen', title, body }
}

function backTo({ locale, params }: OwnVisit, world: string): Markup {
  return html`<p><a href=${`/${world}/payments/${params.id}`}>${say(locale, 'backToPayment')}</a></p>`
}

export const REFUND_PAGES: readonly ConsolePage[] = [refundPage, refundForm]
