/** One case: what it is, what both sides say, what is recommended, and one decision with a reason. */

import { may } from '../../acts/policy.ts'
import { AppError } from '../../errors.ts'
import { type CaseDetail, type CaseName, getCase } from '../../operator/desk/case.ts'
import { findCaseEnding } from '../../operator/desk/case-ending.ts'
import { CASE_KINDS } from '../../operator/desk/desk.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { field } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, orWhoMay, whoMay, wideScreen } from '../page-parts.ts'
import { factList, momentText, sumText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { inShop, type View, viewOf } from '../world.ts'
import { evidenceOf } from './evidence.ts'
import { caseAddress, outcomeText } from './list.ts'
import { findPartOf } from './part.ts'

export const WHY_CHARS_MAX = 240
/** What came of asking the provider. */
const QUESTION_OUTCOMES = ['changed', 'same', 'unclear'] as const
export type QuestionOutcome = (typeof QUESTION_OUTCOMES)[number]

function questionText({ locale, query }: OwnVisit): string | null {
  const outcome = QUESTION_OUTCOMES.find((each) => each === query.asked)
  return outcome ? translate(locale, `asked_${outcome}`) : null
}
const ID_CHARS_MAX = 200
/** More than these are seldom needed, and fold away. */
const USUAL_CHOICES = ['paid', 'failed', 'succeeded', 'issued', 'retry', 'refunded']

/** @throws AppError not_found for a kind that does not exist */
export function nameOf({ params, user }: OwnVisit): CaseName {
  const kind = CASE_KINDS.find((each) => each === params.kind)
  const id = params.case ?? ''
  if (!kind || id.length > ID_CHARS_MAX) throw new AppError('not_found')
  // A difference is named within its account.
  const [, accountId = null, subject = id] = (kind === 'difference' && /^(\S+) (.+)$/.exec(id)) || []
  return { kind, subject, accountId, merchantId: user.merchantId }
}

export const casePage: ConsolePage = {
  method: 'get',
  path: '/:world/desk/:kind/:case',
  needs: 'desk list',
  handle: async (visit) => caseScreen(visit, await viewOf(visit)),
}

/** The case, or what became of it. @throws AppError not_found for what never was a case, or not of this person's shop */
export async function caseScreen(visit: OwnVisit, view: View, problem?: string): Promise<Screen> {
  const name = nameOf(visit)
  const detail = await getCase(view.ctx, name).catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'not_found') return null
    throw error
  })
  if (!detail) return endedScreen(visit, view, name)
  const { merchantId } = detail.timeline?.payment ?? {}
  const own = merchantId === undefined ? view : await inShop(visit, view, merchantId)
  return openScreen(visit, own, { detail, problem })
}

function openScreen(
  visit: OwnVisit,
  view: View,
  { detail, problem }: { detail: CaseDetail; problem: string | undefined },
): Screen {
  const { locale } = visit
  const { found, advice, timeline } = detail
  const { kind, amountMinor, currency, merchantName } = found
  const done = outcomeText(visit)
  const title = translate(locale, `cases.${kind}`)
  const stake = sumText(amountMinor, currency, locale)
  const notice = done ? `${done} ${translate(locale, 'nextCase')}` : questionText(visit)
  const body = html`<p class="sentence">${translate(locale, `caseText_${kind}`)}${stake ? ` ${translate(locale, 'atStake', { amount: stake })}` : ''}</p>
    ${evidenceOf(visit, view, detail)}
    <section class="advice">
      <h2>${translate(locale, 'recommended')}</h2>
      <p>${translateAny(locale, `advice_${advice}`, sumsOf(locale, detail))}</p>
      ${waysOn(locale, view.world, detail)}
    </section>
    ${detail.canAsk && timeline ? orWhoMay(visit, 'desk decide', askForm(visit, view.world)) : null}
    ${decisionOf(visit, detail)}
    ${factList([
      [translate(locale, 'merchant'), timeline ? null : merchantName],
      [translate(locale, 'noted'), found.what],
      [translate(locale, 'caseId'), found.subject],
    ])}
    ${backTo(`/${view.world}/desk`, translate(locale, 'deskTitle'))}`
  return wideScreen({ title, body, problem, notice })
}

/** Where the case is mended, or where more is to be seen. */
function waysOn(locale: Locale, world: string, { found }: CaseDetail): Markup {
  const { kind, subject, paymentId, merchantId } = found
  const ways: [ConsoleKey, string | null][] = [
    ['seePayment', paymentId && `/${world}/payments/${paymentId}`],
    [
      'seeEvents',
      (kind === 'callback_paused' || kind === 'events_given_up') && merchantId
        ? `/${world}/shops/${merchantId}/events`
        : null,
    ],
    ['seeAccount', kind === 'account' ? `/${world}/accounts/${subject}` : null],
  ]
  return html`${ways.map(([key, href]) => (href ? html`<p><a href=${href}>${translateAny(locale, key)}</a></p>` : null))}`
}

/** What was asked for and what was taken, as the advice names them. */
function sumsOf(locale: Locale, { timeline }: CaseDetail): Record<string, string> {
  if (!timeline) return {}
  const { amountMinor, capturedMinor, currency } = timeline.payment
  const sum = (minor: number) => formatAmount(minor, currency, locale)
  return { asked: sum(amountMinor), taken: sum(capturedMinor) }
}

function askForm(visit: OwnVisit, world: string): Markup {
  const { locale } = visit
  return html`<form method="post" action=${`${caseAddress(world, nameOf(visit))}/ask`}>
    <button class="button quiet">${translate(locale, 'askProvider')}</button>
  </form>`
}

/** What one may not decide is shown with the role that may. */
function decisionOf(visit: OwnVisit, detail: CaseDetail): Markup {
  const { choices, seen, found } = detail
  const { locale, form, user } = visit
  if (choices.length === 0) return null
  const title = html`<h2>${translate(locale, 'yourDecision')}</h2>`
  if (!may(user, 'desk decide')) return html`${title}${whoMay(locale, 'desk decide')}`
  const [only] = choices
  const isUsual = (choice: string) => choices.length <= 3 || USUAL_CHOICES.includes(choice)
  const radio = (choice: string) => html`<label class="choice">
    <input type="radio" name="choice" value=${choice} checked=${form.choice === choice} required />
    <span>${translateAny(locale, `choice_${choice}` as ConsoleKey)}</span>
  </label>`
  const rest = choices.filter((choice) => !isUsual(choice))
  const isRestOpen = rest.includes(form.choice ?? '')
  return html`${title}
    <form method="post" class="fields" data-case=${found.kind}>
      <input type="hidden" name="seen" value=${seen} />
      ${
        choices.length === 1
          ? html`<input type="hidden" name="choice" value=${only} />`
          : html`<fieldset class="choices">
              <legend>${translate(locale, 'whatIsTrue')}</legend>
              ${choices.filter(isUsual).map(radio)}
              ${rest.length > 0 ? html`<details open=${isRestOpen}><summary>${translate(locale, 'otherOutcomes')}</summary>${rest.map(radio)}</details>` : null}
            </fieldset>`
      }
      ${acceptField(visit, detail)}
      ${choices.includes('issued') ? field({ name: 'number', label: translate(locale, 'receiptNumber'), value: form.number ?? '', hint: translate(locale, 'receiptNumberHint'), isOptional: true }) : null}
      ${field({ name: 'why', label: translate(locale, 'whyDecide'), value: form.why ?? '', hint: translate(locale, 'whyDecideHint') })}
      <button class="button">${translateAny(locale, choices.length === 1 ? (`do_${only}` as ConsoleKey) : 'decide')}</button>
    </form>`
}

/** The person says yes to the very sum that was taken or is held, if it is less than the amount. */
function acceptField({ locale, form }: OwnVisit, detail: CaseDetail): Markup {
  if (detail.found.kind !== 'undecided') return null
  const part = findPartOf(locale, detail, 'paid') ?? findPartOf(locale, detail, 'authorized')
  if (part === null) return null
  const accepted = String(part.minor)
  return html`<label class="choice">
    <input type="checkbox" name="accepts" value=${accepted} checked=${form.accepts === accepted} />
    <span>${translate(locale, 'acceptPart', part)}</span>
  </label>`
}

/** The words that payments, operations and receipts have in their own lists. */
const ENDING_TEXTS: Partial<Record<CaseName['kind'], string>> = {
  undecided: 'status',
  disputed: 'status',
  operation: 'listed',
  receipt: 'listed',
}

/** What became of a case of this kind. */
export const becameText = (locale: Locale, kind: CaseName['kind'], to: string): string =>
  translateAny(locale, `${ENDING_TEXTS[kind] ?? 'became'}_${to}` as ConsoleKey)

/** Somebody has decided it, or the provider has. */
async function endedScreen(visit: OwnVisit, view: View, name: CaseName): Promise<Screen> {
  const { locale } = visit
  const ending = await findCaseEnding(view.ctx, name)
  if (!ending) throw new AppError('not_found')
  const title = translate(locale, 'caseGone')
  const notice = questionText(visit)
  const body = html`<p class="sentence">${translate(locale, `cases.${name.kind}`)}: ${becameText(locale, name.kind, ending.to)}</p>
    ${factList([
      [translate(locale, 'decidedBy'), ending.by],
      [translate(locale, 'why'), ending.why],
      [translate(locale, 'when'), momentText(ending.at, locale, view.timeZone)],
    ])}
    ${ending.paymentId ? html`<p><a href=${`/${view.world}/payments/${ending.paymentId}`}>${translate(locale, 'seePayment')}</a></p>` : null}
    <p><a class="button" href=${`/${view.world}/desk`}>${translate(locale, 'backToDesk')}</a></p>`
  return wideScreen({ title, body, notice, status: visit.form.seen === undefined ? 200 : 409 })
}
