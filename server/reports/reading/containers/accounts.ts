/**
 * A second account in one file.
 * Rule: the lines of two accounts are not mixed, because their currencies may differ, and a transfer between them would count twice.
 */
import type { Skip } from '../columns.ts'
import { type Row, unreadable } from '../file.ts'

const ACCOUNT =
  /\b(?:account(?!ing|ant|s)|acct|iban|[a-z]*konto|compte|cuenta|conto|conta|rachun|hesap)|(?<!\p{L})сч[её]т|հաշի?վ|ანგარიშ/iu

const PHONE = /(?<!\p{L})(?:tel|phone|mobile|fax|тел|факс|моб|հեռ)\p{L}*[^\p{L}]*|\+\d[\d ()-]*/giu
const DATE = /(?<!\d)(?:\d{4}([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2\d{4}|20\d\d[01]\d[0-3]\d)(?!\d)/g
/** Its second group may be a bank's letters. Each further group has a digit, so a currency behind the number is not taken as a part of it. */
const IBAN = /\b[A-Z]{2}\d{2} ?[A-Z0-9]{4}(?: ?(?=[A-Z]{0,3}\d)[A-Z0-9]{4}){1,6}(?: ?\d{1,3}(?!\d))?/g
/** Long, or with its beginning hidden. Shorter ones may be of a page or of a statement. */
const NUMBER = /\d(?:[ .-]?\d){7,}|(?<=[*xX•]{2,}[ -]?)\d{3,}/g
/** Nothing but the word and a number, of any length. */
const ALONE = new RegExp(
  String.raw`^\P{L}*?(?:${ACCOUNT.source})(?:nummer| ?number| ?no| ?nr)?[\s.:#№]*(\d[\d ]*)\P{L}*$`,
  'iu',
)

/** Returns the number of the account that a row names, without blanks; undefined if it names none. */
function accountIn(row: string): string | undefined {
  const text = row.replaceAll(PHONE, ' ').replaceAll(DATE, ' ')
  const word = ACCOUNT.exec(text)
  const numbers = word ? (text.slice(word.index).match(NUMBER) ?? []) : []
  const alone = ALONE.exec(text)?.[1] ?? []
  return [...(text.match(IBAN) ?? []), ...numbers, ...[alone].flat()]
    .map((each) => each.replaceAll(/[ .-]/g, ''))
    .sort((one, other) => other.length - one.length)[0]
}

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
 * columns begins its lines. Each page of a bank may repeat the account of the page before, with its bank's code or without it.
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
    const number = accountIn(text)
    if (number === undefined) return
    if (skip === 'above') known.add(number)
    else if (![...known].some((each) => each.includes(number) || number.includes(each)))
      named = { text: text.slice(0, 60), line }
  }
}
