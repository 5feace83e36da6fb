/**
 * Forgets a buyer: blanks what is stored about one e-mail address or telephone number.
 * Rule: the trail of the money stays. Amounts, statuses, times and ids are never changed.
 * Rule: what belongs to one payment is blanked in one transaction. After a crash at any line the command is repeated.
 */
import { domainToASCII, domainToUnicode } from 'node:url'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { inTransaction } from '../../storage/db.ts'
import { forgetPayments, listPaymentsOfBuyer } from '../../storage/forgetting/payments.ts'
import { dropForgottenRows } from '../../storage/forgetting/search.ts'
import {
  blankWindow,
  nextWindow,
  PAYMENT_WINDOWS,
  SWEPT,
  type Window,
} from '../../storage/forgetting/tables.ts'
import { doOrRehearse } from '../acts/rehearse.ts'
import { fold, phoneWord } from '../finding/fold.ts'
import { renewRows } from '../finding/rows.ts'
import { word } from '../finding/words.ts'
import { forgetInProposals } from './proposals.ts'

/** So many rows are read at once, and so many payments are written at once. */
const WINDOW_ROWS = 5_000
const PAYMENTS_AT_ONCE = 50
const PHONE_DIGITS_MIN = 7

export type Forgotten = Record<string, number>
type Given = { email?: string | undefined; phone?: string | undefined }

/**
 * Returns how many rows of each kind had something.
 * @throws AppError validation_failed for something that is no e-mail address or telephone number
 */
export function forgetCustomer(ctx: Context, given: Given & { dryRun: boolean }): Promise<Forgotten> {
  const pattern = patternOf(given)
  return doOrRehearse(ctx, given, async (own) => {
    const counts: Forgotten = {}
    const add = (name: string, count: number) => {
      counts[name] = (counts[name] ?? 0) + count
    }
    await forgetInPayments(own, pattern, add)
    for (const sweep of SWEPT)
      await eachWindow(own, sweep, (window) =>
        inTransaction(own.db, async (tx) => {
          const { count, searched } = await blankWindow(tx, sweep, window, pattern)
          await renewRows(tx, searched)
          add(sweep.name, count)
        }),
      )
    add('search', await dropForgottenRows(own.db, searchWordsOf(given)))
    add('proposals', await forgetInProposals(own, pattern))
    return counts
  })
}

/** The words under which the buyer's payments are found. */
function searchWordsOf({ email, phone }: Given): string[][] {
  const [local = '', domain = ''] = email?.trim().split('@') ?? []
  return [
    ...(email === undefined ? [] : [[word('e-mail', fold(local)), word('domain', fold(domain))]]),
    ...(phone === undefined ? [] : numbersOf(phone).map((each) => [word('telephone', phoneWord(each))])),
  ]
}

async function forgetInPayments(
  ctx: Context,
  pattern: string,
  add: (name: string, count: number) => void,
): Promise<void> {
  await eachWindow(ctx, PAYMENT_WINDOWS, async ({ after: [after = ''], last: [last = ''] }) => {
    const found = await listPaymentsOfBuyer(ctx.db, { after, last }, pattern)
    for (let from = 0; from < found.length; from += PAYMENTS_AT_ONCE) {
      const some = found.slice(from, from + PAYMENTS_AT_ONCE)
      const counts = await inTransaction(ctx.db, (tx) => forgetPayments(tx, some, pattern))
      for (const [name, count] of Object.entries(counts)) add(name, count)
    }
  })
}

async function eachWindow(
  { db }: Context,
  sweep: Parameters<typeof nextWindow>[1],
  work: (window: Window) => Promise<void>,
): Promise<void> {
  let window: Window | null = null
  do {
    window = await nextWindow(db, sweep, window, WINDOW_ROWS)
    await work(window)
  } while (!window.isEnd)
}

/** A regular expression of PostgreSQL. An address is found as a whole, also where its @ is percent-encoded. */
function patternOf({ email, phone }: Given): string {
  const parts = [
    ...(email === undefined ? [] : [emailPattern(email)]),
    ...(phone === undefined ? [] : [phonePattern(phone)]),
  ]
  if (parts.length > 0) return parts.join('|')
  throw new AppError('validation_failed', {
    reason: 'buyer_wrong',
    message: 'Name an e-mail address, a telephone number, or both.',
  })
}

const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const
const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' })

/**
 * As it is written, percent-encoded as in a form or an address, or escaped as in JSON. A letter of another alphabet, or with a mark,
 * counts composed or not, and capital or small, because PostgreSQL knows only the letters of the database's locale.
 */
const written = (text: string) =>
  Array.from(GRAPHEMES.segment(text), ({ segment }) => spelled(segment)).join('')

function spelled(letter: string): string {
  if (/^[a-z0-9]$/i.test(letter)) return letter
  const small = letter.toLowerCase()
  const cases = [small, letter.toUpperCase()].filter((each) => each.toLowerCase() === small)
  const all = new Set([letter, ...cases].flatMap((each) => FORMS.map((form) => each.normalize(form))))
  return `(?:${[...all].flatMap((each) => [escaped(each), encoded(each), inJson(each)]).join('|')})`
}

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, '0')
const escaped = (text: string) => text.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, (sign) => `\\${sign}`)
const encoded = (text: string) => Array.from(Buffer.from(text), (byte) => `%${hex(byte, 2)}`).join('')
const inJson = (text: string) =>
  Array.from({ length: text.length }, (_, at) => `\\\\+u${hex(text.charCodeAt(at), 4)}`).join('')

/** The address begins here: after no letter of a longer one, but after an escaped line break or an encoded character. */
const BEGINS = '(?:(?<![[:alnum:]._%+-])|(?<=\\\\[nrt])|(?<=%[0-9a-f][0-9a-f])|(?<=\\\\u00[0-9a-f][0-9a-f]))'

function emailPattern(email: string): string {
  const [local = '', domain = '', ...rest] = email.trim().split('@')
  if (!local || !domain.includes('.') || rest.length > 0 || /\s/.test(email.trim()))
    throw new AppError('validation_failed', {
      reason: 'buyer_wrong',
      message: `"${email}" is no e-mail address.`,
    })
  // A domain in its own script is also stored as programs send it.
  const domains = [...new Set([domain, domainToASCII(domain), domainToUnicode(domain)])].filter(Boolean)
  return `${BEGINS}${written(`${local}@`)}(?:${domains.map(written).join('|')})(?![[:alnum:]-]|\\.[[:alnum:]])`
}

/** Countries whose code has fewer than three digits. */
const SHORT_CODES = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/**
 * Returns the digits of the number as it was given, and the number within its country if the country was given. Without the country
 * the same digits may be somebody's number in another one, so then they are not looked for behind another country's code.
 */
function numbersOf(phone: string): string[] {
  const digits = phone.replaceAll(/[^0-9]/g, '')
  const isWhole = /^\s*(?:\+|00)/.test(phone)
  const whole = digits.replace(/^00/, '')
  const code = SHORT_CODES.exec(whole)?.[0] ?? whole.slice(0, 3)
  return isWhole ? [whole, whole.slice(code.length)] : [digits]
}

/** Not a part of another number. */
const BEGINS_NUMBER = '(?<![0-9]|\\+[0-9 ().-]*)'
const BETWEEN = '[ ().-]*'
const spaced = (digits: string) => [...digits].join(BETWEEN)

/**
 * A number is found in any spelling with blanks, dots, dashes and brackets. With its country it is also found without it: behind
 * the 0 or 8 of a call within the country, or alone where a telephone number is expected.
 */
function phonePattern(phone: string): string {
  const [whole = '', inside] = numbersOf(phone)
  if ((inside ?? whole).length < PHONE_DIGITS_MIN || /\p{L}/u.test(phone))
    throw new AppError('validation_failed', {
      reason: 'buyer_wrong',
      message: `"${phone}" is no telephone number with at least ${PHONE_DIGITS_MIN} digits.`,
    })
  if (inside === undefined) return `${BEGINS_NUMBER}\\+?${spaced(whole)}(?![0-9])`
  const code = whole.slice(0, whole.length - inside.length)
  const ways = [
    `(?:\\+|0[ ]*0[ ]*)?${spaced(code)}${BETWEEN}0?${BETWEEN}${spaced(inside)}`,
    `${whole.startsWith('7') ? '[08]' : '0'}${BETWEEN}${spaced(inside)}`,
    `(?<="phone": ?"[ (]*)${spaced(inside)}(?=[ ]*")`,
  ]
  return `${BEGINS_NUMBER}(?:${ways.join('|')})(?![0-9])`
}
