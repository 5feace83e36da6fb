/**
 * A second account in one file.
 * Rule: the lines of two accounts are not mixed, because their currencies may differ, and a transfer between them would count twice.
 */
import type { Skip } from '../columns.ts'
import { type Row, unreadable } from '../file.ts'

const ACCOUNT =
  /\b(?:account|acct|iban|[a-z]*konto|compte|cuenta|conto|conta|rachun|hesap)|(?<!\p{L})сч[её]т|հաշի?վ|ანგარიშ/iu

/** Returns what looks at the account of each statement in a file. @throws AppError validation_failed */
export function oneAccount(): (account: string) => void {
  let known: string | undefined
  return (account) => {
    known ??= account
    if (account !== known)
      throw unreadable(
        'The file has the lines of more than one account. Export a file for each account.',
        'statement_kind',
      )
  }
}

/**
 * Returns what looks at each row of a table, and why it is no line. A row that names another account and stands above the names of the
 * columns begins its lines. Each page of a bank may repeat the account of the page before.
 */
export function newAccounts(): (row: Row, skip: Skip | null) => void {
  const known = new Set<string>()
  let named: { text: string; line: number } | null = null
  return ({ cells, line }, skip) => {
    if (skip === null) named = null
    if (skip === 'head' && named)
      throw unreadable(
        `Line ${named.line} begins the lines of another account ("${named.text}"). Split the file into one for each account.`,
        'statement_line',
        named.line,
      )
    if (skip !== 'above' && skip !== 'text') return
    const text = cells.filter((cell) => cell !== '').join(' ')
    const number = text.replaceAll(/[^\p{N}]/gu, '')
    if (!ACCOUNT.test(text) || number === '') return
    if (skip === 'above') known.add(number)
    else if (!known.has(number)) named = { text: text.slice(0, 60), line }
  }
}
