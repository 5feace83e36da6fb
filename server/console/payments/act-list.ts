/** On the page of a payment: what can be done now, by whom, and why not the rest. */
import { may, rolesFor } from '../../acts/policy.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import type { OwnVisit } from '../page.ts'
import { translate, translateAny } from '../words/translate.ts'
import { type ActFacts, PAYMENT_ACTS, type PaymentAct } from './acts.ts'

export function actsOf(visit: OwnVisit, facts: ActFacts): Markup {
  const { locale } = visit
  const reasons = PAYMENT_ACTS.map((act) => ({ act, whyNot: act.whyNot(facts) }))
  const [now, rest] = [reasons.filter(({ whyNot }) => !whyNot), reasons.filter(({ whyNot }) => whyNot)]
  return html`${now.map(({ act }) => possible(visit, facts, act))}
    ${now.length === 0 ? html`<p>${translate(locale, 'nothingToDo')}</p>` : null}
    ${shareLine(visit, facts)}
    <details>
      <summary>${translate(locale, 'notNow')}</summary>
      <dl class="facts">
        ${rest.map(({ act, whyNot }) => whyNot && html`<div><dt>${translate(locale, `${act.name}Name`)}</dt><dd>${translateAny(locale, whyNot)}</dd></div>`)}
      </dl>
    </details>`
}

/** What one may not do is shown with the roles that may. */
function possible({ locale, user, params }: OwnVisit, facts: ActFacts, act: PaymentAct): Markup {
  const amount = formatAmount(act.maxMinor(facts), facts.payment.currency, locale)
  const lead = translate(locale, `${act.name}Lead`, { amount })
  if (may(user, act.row.name)) {
    const href = `/${params.world}/payments/${facts.payment.id}/${act.name}`
    return html`<p>${lead}</p>
      <p><a class="button" href=${href}>${translate(locale, `${act.name}Name`)}</a></p>`
  }
  const roles = rolesFor(act.row.name).map((role) => translate(locale, `role_${role}`))
  return html`<p>${lead} ${translate(locale, 'notAllowedText', { roles: roles.join(', ') })}</p>`
}

/** The link of a payment that can still be paid, to show or send again. */
function shareLine({ locale, params }: OwnVisit, { payment }: ActFacts): Markup {
  if (payment.status !== 'created' && payment.status !== 'pending_redirect') return null
  return html`<p><a class="button quiet" href=${`/${params.world}/counter/${payment.id}`}>${translate(locale, 'showLinkAgain')}</a></p>`
}
