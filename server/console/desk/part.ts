/** Of a payment with an unknown outcome: less than the whole amount that was taken or is held, in the words of the screens. */
import type { CaseDetail } from '../../operator/desk/case.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import { findPart } from '../../payments/decisions/part-taken.ts'

type Part = { minor: number; amount: string; asked: string }

/** `choice`: the outcome that a person decides. Null if the whole amount counts for it, or none. */
export function findPartOf(
  locale: Locale,
  { timeline }: Pick<CaseDetail, 'timeline'>,
  choice: string,
): Part | null {
  if (!timeline) return null
  const { payment } = timeline
  const minor = findPart(payment, choice)
  if (minor === null) return null
  const text = (sum: number) => formatAmount(sum, payment.currency, locale)
  return { minor, amount: text(minor), asked: text(payment.amountMinor) }
}
