/** What somebody chooses for a poster. The address has all of it, so that a poster can be kept as a bookmark. */
import { LOCALES, type Locale } from '../words/locale.ts'

/** `tent`: an A4 sheet that is folded twice and stands on a table. */
const SIZES = ['a4', 'a6', 'tent'] as const
export type PosterSize = (typeof SIZES)[number]

export type PosterChoice = {
  size: PosterSize
  /** A language, or `all`. */
  texts: Locale | 'all'
  isPhotoWanted: boolean
}

/** Anything that is no choice of ours counts as the usual choice. `locale`: the language of the page. */
export function readPosterChoice(query: Record<string, string>, locale: Locale): PosterChoice {
  const { size, texts, photo } = query
  return {
    size: SIZES.find((each) => each === size) ?? 'a4',
    texts: texts === 'all' ? texts : (LOCALES.find((each) => each === texts) ?? locale),
    isPhotoWanted: photo !== 'no',
  }
}

/** The languages of the texts on the paper. */
export const languagesOf = ({ texts }: PosterChoice): readonly Locale[] =>
  texts === 'all' ? LOCALES : [texts]
