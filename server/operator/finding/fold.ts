/** Folding: what looks alike or sounds alike becomes one text. What is stored and what a person says are folded in the same way. */

/** Letters of other alphabets that look like Latin ones, and Latin ones that the short number does not use. In lower case. */
const LOOKS_LIKE: Record<string, string> = {
  ...pairsOf('авекмнорстухіјѕԁԛԝһ', 'abekmhopctyxijsdqwh'),
  // Armenian, printed and in capitals that were lowered: Օ Տ Հ Ս Լ Ց Զ Խ.
  ...pairsOf('օոսհցզքյլ', 'onuhgqpjl'),
  // The alphabet of ids has neither o nor i nor l, because people read them as digits.
  o: '0',
  i: '1',
  l: '1',
}

function pairsOf(from: string, to: string): Record<string, string> {
  const latin = [...to]
  return Object.fromEntries([...from].map((letter, index) => [letter, latin[index] ?? letter]))
}

const ZERO_AND_ONE: Record<string, string> = { o: '0', i: '1', l: '1' }

/** Returns the letters and digits of a text in their folded form, without blanks, dashes and marks over letters. */
export function fold(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
  return [...plain].map(foldLetter).join('')
}

function foldLetter(letter: string): string {
  const latin = LOOKS_LIKE[letter] ?? letter
  return ZERO_AND_ONE[latin] ?? latin
}

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
