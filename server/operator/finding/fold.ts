/** Folds what people say about a payment: its parts between blanks, and telephone numbers. */
import { fold } from '../../merchants/look-alikes.ts'

export { fold }

/** Returns the folded parts of a text that stand between blanks, dashes and the like. */
export function foldParts(text: string): string[] {
  return text
    .normalize('NFKC')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map(fold)
    .filter((part) => part !== '')
}

/** People give the end of a telephone number, with or without the country: digits are compared from the end. */
export function phoneWord(text: string): string {
  const digits = text.replaceAll(/\D/g, '').replace(/^0+/, '')
  return [...digits].reverse().join('')
}
