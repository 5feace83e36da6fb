/** Finds words that only an operator knows, for the tests of texts that merchants and buyers read. */

/** The contract's own placeholder for a merchant's token. */
const OF_MERCHANTS = 'MERCHANT_API_TOKEN'

/** The end of a public key is random, and may look like anything. */
const KEY = /\bk[ps]k_[\w-]+/g

const PATTERNS = {
  'a command': /\bnpm\b|\badmin\b|(?<![\w-])--[a-z][\w-]*/gi,
  'a setting': /\b[A-Z][A-Z0-9]*_[A-Z0-9_*]+/g,
  'the database or a log': /\bdatabase\b|\bpostgres\w*\b|\blogs?\b(?! in)/gi,
}

/** Returns each such word with its kind, such as `a setting: SECRETS_KEY`. */
export function findOperatorWords(text: string): string[] {
  const words = text.replaceAll(KEY, '')
  return Object.entries(PATTERNS).flatMap(([kind, pattern]) =>
    [...words.matchAll(pattern)]
      .filter(([word]) => word !== OF_MERCHANTS)
      .map(([word]) => `${kind}: ${word}`),
  )
}
