/**
 * What a reader means by a query. Each word stands for itself, for its other endings, and for the words that people use for the
 * same thing. Readers in all languages of `QUERIES` find the same subjects, also where a page uses another word.
 *
 * This is a table, and no search library. The libraries know no synonyms and no Armenian or Russian endings, and the index of one
 * that was tried took 5 MB of memory for good.
 */
import type { Language } from '../../contract/languages.ts'
import { SYNONYMS } from './synonyms.ts'

export const QUERY_MAX_CHARS = 80
const TERMS_MAX = 6
const STEM_MIN_CHARS = 3

/** `pattern`: finds the same words in a text, for a regular expression with the flags `giu`. */
type Spelling = { weight: number; matches: (word: string) => boolean; pattern: string }
/** One word of a query. `spellings`: what matches it, the best one first. */
export type Term = { word: string; spellings: Spelling[] }

/** Words that say nothing about the subject. They count only if a query has no others. */
const FILLERS = new Set(
  [
    'a an and as at can do does for from get have how i in is it me my of on or the there to we what when where why with without you your he she his her want wants need needs no',
    'а в во для до если и или из как какой когда кто ли меня мне мой мои мою на не нужно о об от по при с со у что чтобы это я можно где без нет нужен нужна',
    'է եմ ես եք են և իմ ինձ ինչ ինչպես ինչպե՞ս որ որտեղ ու կամ համար մեջ հետ եթե երբ պետք պիտի չի կա առանց ուզում',
  ]
    .join(' ')
    .split(' '),
)

/**
 * The languages of queries. `letters`: the letters by which a query is known to be in the language. English has none: it is the
 * language of all other queries. `endings`: are cut off, the longest first. What is left has at least STEM_MIN_CHARS letters.
 */
const QUERIES = {
  hy: {
    letters: /\p{Script=Armenian}/u,
    endings: endings(
      'ներից ներով ներին ների ները երից երով երին նել վել երի երը ներ եր ել ալ եց եք ում ից ով ին ի ը ն լ ք',
    ),
  },
  ru: {
    letters: /\p{Script=Cyrillic}/u,
    endings: endings(
      'иями ями ами ыми ими его ого ему ому ешь ишь ете ите ать ять ить еть уть ыть ала ила али или ает яет ует ют ут ет ит ят ат ал ил ть ти ов ев ей ой ый ий ая яя ое ее ые ие ую юю ым им ом ем ам ям ах ях ых их ью а я о е ы и у ю ь й',
    ),
  },
  en: { letters: null, endings: endings('ings ing ers ed es er s e') },
} satisfies Partial<Record<Language, { letters: RegExp | null; endings: RegExp[] }>>
type QueryLanguage = keyof typeof QUERIES

function endings(list: string): RegExp[] {
  return list.split(' ').map((ending) => new RegExp(`^(.{${STEM_MIN_CHARS},})${ending}$`, 'u'))
}

/** Returns the language of the letters of a query. */
export function localeOfQuery(query: string): QueryLanguage {
  const languages = Object.keys(QUERIES) as QueryLanguage[]
  return languages.find((each) => QUERIES[each].letters?.test(query)) ?? 'en'
}

/** Returns the words of a text in small letters. Accents inside Armenian words are no letters. */
export function plainWords(text: string): string[] {
  const plain = text.toLowerCase().replaceAll(/[՛՜՞]/g, '').replaceAll('ё', 'е')
  return plain.match(/[\p{L}\p{N}_]+/gu) ?? []
}

/** Returns the words of a query: at most TERMS_MAX of its first QUERY_MAX_CHARS characters. */
export function termsOf(query: string): Term[] {
  const words = plainWords(query.slice(0, QUERY_MAX_CHARS))
  const telling = words.filter((word) => !FILLERS.has(word))
  const chosen = [...new Set(telling.length > 0 ? telling : words)].slice(0, TERMS_MAX)
  return chosen.map((word) => ({ word, spellings: spellingsOf(word) }))
}

/** The word itself matches anywhere, because an identifier such as `sandboxFault` has words inside. */
function spellingsOf(word: string): Spelling[] {
  const stem = stemOf(word)
  const others = SYNONYMS.filter((row) => row.some((each) => word.startsWith(each) || stem === each)).flat()
  return [
    { weight: 1, matches: (each) => each.includes(word), pattern: word },
    { weight: 0.9, ...fromStart([stem]) },
    { weight: 0.6, ...fromStart(others) },
  ]
}

/** Matches all words that begin with one of these. */
function fromStart(beginnings: string[]): Pick<Spelling, 'matches' | 'pattern'> {
  return {
    matches: (word) => beginnings.some((each) => word.startsWith(each)),
    pattern: `(?<![\\p{L}\\p{N}])(?:${beginnings.join('|') || '(?!)'})[\\p{L}\\p{N}]*`,
  }
}

function stemOf(word: string): string {
  for (const ending of QUERIES[localeOfQuery(word)].endings) {
    const [, stem] = ending.exec(word) ?? []
    if (stem) return stem
  }
  return word
}
