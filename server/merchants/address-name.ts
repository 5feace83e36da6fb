/**
 * Names of short addresses, such as `tea` in `/p/tea`. Buyers type them from a poster, on any keyboard and in any case, so names
 * that look alike are the same name.
 */
import { fold, pairsOf } from './look-alikes.ts'

/** What somebody types may have blanks, dots and dashes that a name has not. A longer text is not looked up. */
const TYPED_MAX_CHARS = 60

/** Letters that look like a Latin one on a sign, beyond those that people mix up when they type. */
const ON_A_SIGN: Record<string, string> = {
  ...pairsOf('пгизшьбч', 'nru3wb64'),
  ...pairsOf('առրգւիտ', 'wnnq1hs'),
}

/** Returns the key under which a name is stored: equal for names that look alike. */
function foldName(text: string): string {
  return [...fold(text)]
    .map((letter) => ON_A_SIGN[letter] ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/** Returns the key of what somebody has typed. Returns null if it cannot be a name. */
export function keyOfTyped(text: string): string | null {
  if (text.length > TYPED_MAX_CHARS) return null
  return foldName(text) || null
}
