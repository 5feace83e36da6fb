/** What a decision will do, once more before it is done. What moves the books asks twice, as a refund does. */
import type { Decision } from '../../acts/case-decision.ts'
import { shortNumber } from '../../id.ts'
import type { CaseDetail } from '../../operator/desk/case.ts'
import { html, type Markup } from '../../pages/html.ts'
import { backButton, hiddenFields } from '../form-parts.ts'
import type { OwnVisit, Screen } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { factList, sumText } from '../parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import { findPartOf } from './part.ts'

/** The other kinds only take a case off the desk. */
const MOVES_BOOKS: readonly CaseDetail['found']['kind'][] = ['undecided', 'operation', 'receipt']
export const asksTwice = ({ found }: CaseDetail): boolean => MOVES_BOOKS.includes(found.kind)

export function confirmScreen(
  { locale, form }: OwnVisit,
  { detail, decision, factorForm }: { detail: CaseDetail; decision: Decision; factorForm: Markup },
): Screen {
  const { found } = detail
  const { choice, why, number } = decision
  const title = translate(locale, 'caseSure')
  const chosen = translateAny(locale, `choice_${choice}` as ConsoleKey)
  const { seen = '', accepts = '' } = form
  const part = findPartOf(locale, detail, choice)
  const body = html`<p class="sentence">${translate(locale, 'caseSureText', { case: translate(locale, `cases.${found.kind}`), choice: chosen })}</p>
    ${part ? html`<p class="alert">${translate(locale, 'acceptPart', part)}</p>` : null}
    ${factList([
      [translate(locale, 'approvalSum'), part ? null : sumText(found.amountMinor, found.currency, locale)],
      [translate(locale, 'merchant'), found.merchantName],
      [translate(locale, 'approvalPayment'), found.paymentId && shortNumber(found.paymentId)],
      [translate(locale, 'receiptNumber'), number],
      [translate(locale, 'whyDecide'), why],
    ])}
    <form method="post" class="fields">
      ${hiddenFields({ seen, choice, why, number: number ?? '', accepts, confirm: 'yes' })}
      ${factorForm}
      <button class="button">${translate(locale, 'caseSureDo')}</button>
      ${backButton(translate(locale, 'caseSureBack'))}
    </form>`
  return narrowScreen({ title, body })
}
