import { DIGITS_MAX, EXPIRY, EXPIRY_DIGITS, isMaskedNumber } from '../card-number/brands.ts'

/** At least 13 digits, with at most one blank, dash, dot or underscore between two. */
const WRITTEN_DIGITS = /\d(?:[\s\p{Z}\p{Pd}._]?\d){12,}/gu
const MASK = '[card number]'

/** Returns the text without anything that looks like a brand's card number. Every log line passes through this. */
export const maskCardNumbers = (text: string): string => text.replaceAll(WRITTEN_DIGITS, maskIn)

function maskIn(written: string): string {
  const groups = [...written.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({ digits, index }))
  let masked = ''
  let done = 0
  for (const [at, { index }] of groups.entries()) {
    const end = index < done ? null : endOfCard(groups, at)
    if (end === null) continue
    masked += written.slice(done, index) + MASK
    done = end
  }
  return masked + written.slice(done)
}

/** Returns where the card number that begins with this group ends, or null. */
function endOfCard(groups: readonly { digits: string; index: number }[], at: number): number | null {
  let digits = ''
  for (const group of groups.slice(at, at + DIGITS_MAX + EXPIRY_DIGITS)) {
    digits += group.digits
    if (digits.length > DIGITS_MAX + EXPIRY_DIGITS) return null
    if (isMaskedNumber(digits) || isMaskedNumber(digits.replace(EXPIRY, '')))
      return group.index + group.digits.length
  }
  return null
}
