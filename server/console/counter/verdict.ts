/** What a payment is worth at a counter: may the goods be handed over? And how the screen shows the answer. */
import type { Story } from '../../operator/story/story.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'

/** `wait`: it may still be paid. `ask`: nobody knows, or the money may be taken back. */
export type Answer = 'yes' | 'no' | 'wait' | 'ask'
/** `head`: the answer in a few words. `todo`: what the cashier does now. */
export type Verdict = { answer: Answer; head: ConsoleKey; todo: ConsoleKey }

const verdict = (answer: Answer, head: ConsoleKey, todo: ConsoleKey): Verdict => ({ answer, head, todo })

const NOT_YET = verdict('wait', 'verdictWait', 'todoWait')
const NOT_PAID = verdict('no', 'verdictNo', 'todoNo')
const BACK = verdict('no', 'verdictBack', 'todoBack')

const VERDICTS: Record<Story['status'], Verdict> = {
  created: NOT_YET,
  pending_redirect: NOT_YET,
  pending_payment: NOT_YET,
  authorized: verdict('yes', 'verdictHeld', 'todoHeld'),
  paid: verdict('yes', 'verdictYes', 'todoYes'),
  partially_refunded: verdict('yes', 'verdictPart', 'todoPart'),
  refunded: BACK,
  reversed: BACK,
  disputed: verdict('ask', 'verdictDisputed', 'todoDisputed'),
  failed: NOT_PAID,
  cancelled: NOT_PAID,
  expired: NOT_PAID,
  status_unknown: verdict('ask', 'verdictAsk', 'todoAsk'),
}

/** `isUnderWay`: the buyer has finished, and the bank has not. */
export function verdictOf({ status, isUnderWay }: Pick<Story, 'status' | 'isUnderWay'>): Verdict {
  if (status === 'pending_payment' && isUnderWay) return verdict('wait', 'verdictBank', 'todoBank')
  return VERDICTS[status]
}

const SIGNS: Record<Answer, string> = {
  yes: 'M12 34 26 48 52 16',
  no: 'M16 16 48 48M48 16 16 48',
  wait: 'M18 10H46M18 54H46M22 10V20L42 44V54M42 10V20L22 44V54',
  ask: 'M20 24C20 6 46 8 44 24 42 34 32 32 32 44M32 53V54',
}

/** The sign without words is only decoration: the words stand beside it. */
export function signOf(answer: Answer): Markup {
  return html`<svg class="sign" viewBox="0 0 64 64" aria-hidden="true" data-answer=${answer}><path d=${SIGNS[answer]} /></svg>`
}

/** `lines`: what the answer is about, such as the amount, the number and the time. */
export function answerBlock(
  locale: Locale,
  { answer, head, todo }: Verdict,
  { amount, lines = [] }: { amount?: string; lines?: readonly (string | null | undefined)[] } = {},
): Markup {
  return html`<section class="verdict" data-answer=${answer}>
    ${signOf(answer)}
    <h2>${translateAny(locale, head)}</h2>
    ${amount === undefined ? null : html`<p class="amount">${amount}</p>`}
    ${lines.map((line) => line && html`<p>${line}</p>`)}
    <p class="todo">${translateAny(locale, todo)}</p>
  </section>`
}

export const NOTHING_FOUND: Verdict = {
  answer: 'no',
  head: 'verdictNone' as ConsoleKey,
  todo: 'todoNone' as ConsoleKey,
}
