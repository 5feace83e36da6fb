/** The words of a query, in each language in which there are guides. */
import type { Language } from '../../contract/languages.ts'

export const QUERY_MAX_CHARS = 80
const TERMS_MAX = 6

/** Words that say nothing about the subject. They count only if a query has no others. */
export const FILLERS = new Set(
  [
    'a an and as at can do does for from get have how i in is it me my of on or the there to we what when where why with without you your he she his her want wants need needs no',
    'а в во для до если и или из как какой когда кто ли меня мне мой мои мою на не нужно о об от по при с со у что чтобы это я можно где без нет нужен нужна',
    'է եմ ես եք են և իմ ինձ ինչ ինչպես ինչպե՞ս որ որտեղ ու կամ համար մեջ հետ եթե երբ պետք պիտի չի կա առանց ուզում',
  ]
    .join(' ')
    .split(' '),
)

/** The letters by which a query is known to be in a language. All other queries are in English. */
const LETTERS: [Language, RegExp][] = [
  ['hy', /\p{Script=Armenian}/u],
  ['ru', /\p{Script=Cyrillic}/u],
]

/** Returns the language of the letters of a query. */
export function localeOfQuery(query: string): Language {
  return LETTERS.find(([, letters]) => letters.test(query))?.[0] ?? 'en'
}

/** Returns the words of a text in small letters. Accents inside Armenian words are no letters. */
export function plainWords(text: string): string[] {
  const plain = text.toLowerCase().replaceAll(/[՛՜՞]/g, '').replaceAll('ё', 'е')
  return plain.match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** Returns the words of a query: at most TERMS_MAX of its first QUERY_MAX_CHARS characters. */
export function termsOf(query: string): string[] {
  const words = plainWords(query.slice(0, QUERY_MAX_CHARS))
  const telling = words.filter((word) => !FILLERS.has(word))
  return [...new Set(telling.length > 0 ? telling : words)].slice(0, TERMS_MAX)
}
