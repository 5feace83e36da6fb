/** One proposal: what is at stake, and granting or refusing it. Nobody grants an own one. */
import { resultOf } from '../../acts/do.ts'
import { may } from '../../acts/policy.ts'
import { grant as grantRow, refuse as refuseRow } from '../../acts/rows/desk.ts'
import { CURRENCY_CODES } from '../../contract/fields.ts'
import { AppError, type ErrorCode, type Reason } from '../../errors.ts'
import { type Approval, getApproval } from '../../operator/approvals/approval.ts'
import { BANK_ACCOUNT } from '../../operator/approvals/bank-account.ts'
import type { Handover } from '../../operator/approvals/stake.ts'
import { factLines } from '../../pages/approvals/facts.ts'
import { actText } from '../../pages/approvals/messages.ts'
import { html, type Markup } from '../../pages/html.ts'
import { capitalized, formatAmount } from '../../pages/words/locale.ts'
import { outcomeText } from '../desk/list.ts'
import { alertOf, field, noticeOf } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen, Shown } from '../page.ts'
import { backTo, whoMay, wideScreen } from '../page-parts.ts'
import { addressWith, factList, momentText, sumText } from '../parts.ts'
import { refreshingPart } from '../refresh.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { actFor, type View, viewOf } from '../world.ts'
import { revealPage, secretForm, secretText } from './secret.ts'

const page: ConsolePage = {
  method: 'get',
  path: '/:world/approvals/:approval',
  needs: 'approval list',
  handle: async (visit) => screenOf(visit, await viewOf(visit)),
}

const idOf = ({ params }: OwnVisit) => params.approval ?? ''

async function screenOf(visit: OwnVisit, view: View, problem?: ConsoleKey): Promise<Screen> {
  const { locale } = visit
  const done = outcomeText(visit)
  const approval = await getApproval(view.ctx, idOf(visit), view.merchantId)
  const { proposal, payment, merchantName } = approval
  const { what, about, proposer, proposedAt, expiresAt, state, decider, decidedAt } = proposal
  const at = (moment: Date | null) => momentText(moment, locale, view.timeZone)
  const act = actText(locale, what)
  const title = capitalized(act, locale)
  // Whoever has proposed it waits for another person.
  const isWaiting = state === 'open' && !approval.isExpired
  const refreshing = { mark: [state, approval.hasMoved, payment?.version].join(' ') }
  const parts = html`<div class="parts">
    <p class="sentence">${translate(locale, 'approvalSentence', { name: proposer, what: act })}</p>
    ${factList([
      [
        translate(locale, 'approvalSum'),
        sumText(proposal.amountMinor, currencyOf(proposal.currency), locale),
      ],
      [translate(locale, 'merchant'), merchantName],
      [translate(locale, 'approvalProposed'), at(proposedAt)],
      [translate(locale, 'approvalExpires'), at(expiresAt)],
      [translate(locale, 'status'), translate(locale, `approval_${state}`)],
      [translate(locale, 'decidedBy'), decider],
      [translate(locale, 'when'), at(decidedAt)],
    ])}
    ${doesOf(locale, approval, about)}
    ${
      payment
        ? html`<h2>${translate(locale, 'approvalPayment')}</h2>
            ${factList([
              [translate(locale, 'status'), translate(locale, `status_${payment.status}`)],
              [translate(locale, 'asked'), formatAmount(payment.amountMinor, payment.currency, locale)],
              [translate(locale, 'taken'), formatAmount(payment.capturedMinor, payment.currency, locale)],
              [translate(locale, 'returned'), formatAmount(payment.refundedMinor, payment.currency, locale)],
            ])}
            <p><a href=${`/${view.world}/payments/${payment.id}`}>${translate(locale, 'seePayment')}</a></p>`
        : null
    }
    ${formsOf(visit, approval)}
  </div>`
  const body = html`<h1>${title}</h1>
    ${noticeOf(done && `${done} ${translate(locale, 'nextCase')}`)}
    ${alertOf(problem && translateAny(locale, problem))}
    ${refreshingPart(refreshing, parts, { isWaiting: isWaiting && !problem })}
    ${backTo(`/${view.world}/approvals`, translate(locale, 'approvalsTitle'))}`
  return {
    kind: 'screen',
    title,
    body,
    ...(isWaiting && !problem && { refreshing }),
    ...(problem && { status: 422 }),
  }
}

/** Everything that the act does, and what it replaces. After the decision only the short text is left. */
function doesOf(locale: OwnVisit['locale'], { facts }: Approval, about: string): Markup {
  const lines = factLines(locale, facts)
  return html`<h2>${translate(locale, 'approvalAbout')}</h2>
    ${
      lines.length === 0
        ? html`<p class="does">${about}</p>`
        : html`<dl class="facts does">
            ${lines.map(
              ({ label, text, before }) => html`<div>
                <dt>${label}</dt>
                <dd>${text}${before === null ? null : html`<span class="hint before">${translate(locale, 'approvalInsteadOf', { before })}</span>`}</dd>
              </div>`,
            )}
          </dl>`
    }`
}

/** Why it cannot be granted; null if it can. */
function obstacleOf(
  { user }: OwnVisit,
  { proposal, payment, hasMoved, isExpired, isUnreadable }: Approval,
): ConsoleKey | null {
  if (proposal.state !== 'open') return 'approvalDecided'
  if (isExpired) return 'approvalExpired'
  if (isUnreadable) return 'approvalUnreadable'
  if (hasMoved) {
    if (payment) return 'approvalMoved'
    return proposal.what === BANK_ACCOUNT ? 'approvalAccountMoved' : 'approvalFactsMoved'
  }
  return proposal.proposedBy === user.id ? 'approvalOwn' : null
}

function formsOf(visit: OwnVisit, approval: Approval): Markup {
  const { locale, user } = visit
  const { proposal } = approval
  if (proposal.hasSecret && proposal.state === 'done') return secretForm(visit, proposal)
  const obstacle = obstacleOf(visit, approval)
  const mayRefuse = approval.proposal.state === 'open' && !approval.isExpired
  if (!may(user, 'approval grant'))
    return obstacle === 'approvalDecided' ? null : whoMay(locale, 'approval grant')
  const form = (
    end: string,
    key: ConsoleKey,
    look: string,
    notice: Markup = null,
  ) => html`<form method="post" action=${`/${visit.params.world}/approvals/${approval.proposal.id}/${end}`}>
    ${notice}
    <button class=${look}>${translateAny(locale, key)}</button>
  </form>`
  const isOwn = obstacle === 'approvalOwn'
  // The shop waits for an answer, and reads on its own page why it was refused.
  const isShownToShop = approval.proposal.what === BANK_ACCOUNT && !isOwn
  const words = { label: translate(locale, 'domainWhy'), hint: translate(locale, 'domainWhyHint') }
  const whyField = field({ name: 'why', ...words, value: visit.form.why ?? '', isOptional: true })
  return html`
    ${obstacle ? html`<p class="advice">${translateAny(locale, obstacle)}</p>` : form('grant', 'approvalGrant', 'button')}
    ${mayRefuse ? form('refuse', isOwn ? 'approvalTakeBack' : 'approvalRefuse', 'button quiet', isShownToShop ? whyField : null) : null}`
}

const grant: ConsolePage = {
  method: 'post',
  path: '/:world/approvals/:approval/grant',
  needs: 'approval grant',
  async handle(visit) {
    const view = await viewOf(visit)
    const approval = await getApproval(view.ctx, idOf(visit), view.merchantId)
    const obstacle = obstacleOf(visit, approval)
    if (obstacle) return screenOf(visit, view, obstacle)
    const { id } = approval.proposal
    return decided(visit, view, 'granted', async () => {
      const done = await actFor(visit, grantRow, id, { approvalId: id })
      const { linkEnd = null, keyEnd = null } = resultOf(done).shownOnce ?? {}
      return { link: linkEnd, key: keyEnd }
    })
  },
}

const refuse: ConsolePage = {
  method: 'post',
  path: '/:world/approvals/:approval/refuse',
  needs: 'approval refuse',
  async handle(visit) {
    const view = await viewOf(visit)
    const { proposal } = await getApproval(view.ctx, idOf(visit), view.merchantId)
    const why = visit.form.why?.trim()
    return decided(visit, view, 'refused', async () => {
      await actFor(visit, refuseRow, proposal.id, { approvalId: proposal.id, ...(why && { why }) })
      return {}
    })
  },
}

/** Words for the reason of an error, else for its code. What is not here is read from the proposal as it is now. */
const CAME_BETWEEN: Partial<Record<Reason | ErrorCode, ConsoleKey>> = {
  changed_meanwhile: 'approvalFactsMoved',
  last_two_deciders: 'refused_lastTwo',
  why_wrong: 'refused_why',
  raw_card_data_rejected: 'refused_card',
  request_in_progress: 'approvalInProgress',
}

/** Does it, or says what came between. The second half of a link or a key is shown this once. */
async function decided(
  visit: OwnVisit,
  view: View,
  done: 'granted' | 'refused',
  act: () => Promise<Handover>,
): Promise<Shown> {
  try {
    const made = await act()
    return made.link || made.key
      ? halvesScreen(visit, view, made)
      : { kind: 'redirect', to: addressWith(`/${view.world}/approvals`, { done, approval: idOf(visit) }) }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const problem = CAME_BETWEEN[error.details.reason ?? error.code]
    if (problem) return screenOf(visit, view, problem)
    const now = await getApproval(view.ctx, idOf(visit), view.merchantId)
    return screenOf(visit, view, obstacleOf(visit, now) ?? 'approvalFailed')
  }
}

function halvesScreen({ locale }: OwnVisit, { world }: View, { link, key }: Handover): Screen {
  const title = translate(locale, 'approvalDone_granted')
  const body = html`<p>${translate(locale, 'userSecondHalf')}</p>
    ${link ? secretText(link) : null}
    ${key ? html`<p>${translate(locale, 'userSecondHalfKey')}</p>${secretText(key)}` : null}`
  return wideScreen({ title, body, back: [`/${world}/approvals`, translate(locale, 'approvalsTitle')] })
}

const currencyOf = (text: string | null) => CURRENCY_CODES.find((each) => each === text) ?? null

export const APPROVAL_PAGES: readonly ConsolePage[] = [
  page,
  grant,
  refuse,
  revealPage((visit, view, problem) => screenOf(visit, view, problem)),
]
