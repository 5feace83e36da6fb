/** Makes the id of a product from its name, for people who do not think in ids. It is in the address of the pay page. */

const ID_MAX_CHARS = 40

const pairs = (letters: string, words: string): [string, string][] => {
  const sounds = words.split(' ')
  return [...letters].map((letter, at) => [letter, sounds[at] ?? ''])
}

const SOUNDS = new Map([
  ...pairs(
    'абвгдеёжзийклмнопрстуфхцчшщъыьэюя',
    'a b v g d e e zh z i j k l m n o p r s t u f h c ch sh sch  y  e yu ya',
  ),
  ...pairs(
    'աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև',
    'a b g d e z e y t zh i l kh ts k h dz gh ch m y n sh o ch p j r s v t r c u p k o f ev',
  ),
])

/** Returns the same id for the same name. Empty if the name has no letter or digit that this knows. */
export function productIdOf(name: string): string {
  const latin = [...name.toLowerCase()].map((letter) => SOUNDS.get(letter) ?? letter).join('')
  const plain = latin.normalize('NFKD').replaceAll(/[^a-z0-9]+/g, '-')
  return plain.slice(0, ID_MAX_CHARS).replaceAll(/^-+|-+$/g, '')
}
