/** What came of an act where no lines of facts say it: the checks of a callback URL, each with what to do. */
import type { Act } from '../../acts/policy.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { adviceNameOf } from '../../receivers/advice.ts'
import { type CheckLine, isRefusal } from '../../receivers/check.ts'
import { type ConsoleKey, translate } from '../words/translate.ts'

export type Lines = (readonly [name: ConsoleKey, text: string | null])[]

export const LOOKS: Partial<Record<Act, (facts: Record<string, unknown>, locale: Locale) => Lines>> = {
  'callback verify'(facts, locale) {
    const failure = facts.failure as string | null
    const lines = (facts.checks as CheckLine[]).map(
      (line) =>
        [
          `check_${line.name}` as const,
          [line.passed ? '✓' : '✗', line.statusCode, checkAdvice(locale, line, failure)]
            .filter(Boolean)
            .join(' '),
        ] as const,
    )
    return [...lines, ['saidReason', failure]]
  },
}

/** What to do about a check that did not pass, in the reader's language. */
function checkAdvice(
  locale: Locale,
  { name, passed, skipped, statusCode }: CheckLine,
  failure: string | null,
): string | null {
  if (passed) return null
  if (skipped) return translate(locale, failure === null ? 'check_skipped' : 'check_skippedUnanswered')
  if (name === 'accepts_duplicate') return translate(locale, 'check_duplicateAdvice')
  if (isRefusal(name)) {
    const response =
      statusCode === null
        ? translate(locale, 'check_noResponse')
        : translate(locale, 'check_responds', { status: String(statusCode) })
    return `${response} ${translate(locale, `check_to_${name}`)}`
  }
  const advice = adviceNameOf({ statusCode, failure })
  return translate(locale, advice === null ? 'check_slow' : `advice_${advice}`)
}
