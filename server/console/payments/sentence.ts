/** One sentence about a payment's money, to read out or to pass on to the buyer. */
import type { Story } from '../../operator/story/story.ts'
import { formatAmount, formatMoment, type Locale } from '../../pages/words/locale.ts'
import { translate } from '../words/translate.ts'

export function sentenceOf(locale: Locale, story: Story): string {
  const { status, currency, takenMinor, isUnderWay, approvalStands } = story
  const sum = (minor: number) => formatAmount(minor, currency, locale)
  const at = (date: Date | null) =>
    (date && formatMoment(date.toISOString(), locale, { year: true, timeZone: story.timeZone })) ?? ''
  const values = {
    asked: sum(story.amountMinor),
    held: sum(story.heldMinor),
    taken: sum(takenMinor),
    returned: sum(story.returnedMinor),
    disputed: sum(story.disputedMinor),
    takenAt: at(story.takenAt ?? story.heldAt ?? story.createdAt),
    changedAt: at(story.changedAt),
  }
  if (status === 'pending_payment' && approvalStands) return translate(locale, 'told_approved', values)
  if (status === 'pending_payment' && isUnderWay) return translate(locale, 'told_under_way', values)
  if (status === 'reversed' && takenMinor > 0) return translate(locale, 'told_reversed_taken', values)
  return translate(locale, `told_${status}`, values)
}
