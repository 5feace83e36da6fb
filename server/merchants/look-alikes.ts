/** Folding: texts that look alike to people become one text. Stored text and typed text are folded in the same way. */

/** Letters of other alphabets that look like Latin ones. In lower case. */
const LOOKS_LIKE: Record<string, string> = {
  ...pairsOf('авекмнорстухіјѕԁԛԝһ', 'abekmhopctyxijsdqwh'),
  // Armenian, printed and in capitals that were lowered: Օ Տ Հ Ս Լ Ց Զ Խ.
  ...pairsOf('օոսհցզքյլ', 'onuhgqpjl'),
}

/** Digits that look like letters. */
const ZERO_AND_ONE: Record<string, string> = { o: '0', i: '1', l: '1' }

/** Returns a table from each letter of `from` to the letter of `to` in the same place. */
export function pairsOf(from: string, to: string): Record<string, string> {
  const latin = [...to]
  return Object.fromEntries([...from].map((letter, index) => [letter, latin[index] ?? letter]))
}

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
