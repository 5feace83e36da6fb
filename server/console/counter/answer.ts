/** The answer of the counter, as large as the screen allows. Its sign, its words and its colour say the same. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type ConsoleKey, translateAny } from '../words/translate.ts'
import type { Answer, Verdict } from './verdict.ts'

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
