/**
 * Forgets a buyer: blanks the personal data that is stored with one e-mail address or telephone number.
 * Rule: amounts, statuses, times and ids of payments are never changed.
 * Rule: the data of one payment is blanked in one transaction. After a crash the command can simply be run again.
 */
import { domainToASCII, domainToUnicode } from 'node:url'
import type { Context } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { inTransaction } from '../../storage/db.ts'
import { dropForgottenRows, forgetPayments, listPaymentsOfBuyer } from '../../storage/forgetting/payments.ts'
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

const ROWS_READ_AT_ONCE = 5_000
const PAYMENTS_AT_ONCE = 50
const PHONE_DIGITS_MIN = 7

export type Forgotten = Record<string, number>
type Given = { email?: string | undefined; phone?: string | undefined }

/**
 * Returns how many rows of each kind were blanked, or would be with `dryRun`.
 * @throws AppError validation_failed for something that is no e-mail address or telephone number
 */
export function forgetCustomer(ctx: Context, given: Given & { dryRun: boolean }): Promise<Forgotten> {
  const pattern = patternOf(given)
  return doOrRehearse(ctx, given, async (actCtx) => {
    const counts: Forgotten = {}
    const add = (name: string, count: number) => {
      counts[name] = (counts[name] ?? 0) + count
    }
    await forgetInPayments(actCtx, pattern, add)
    for (const sweep of SWEPT)
      await eachWindow(actCtx, sweep, (window) =>
        inTransaction(actCtx.db, async (tx) => {
          const { count, searched } = await blankWindow(tx, sweep, window, pattern)
          await renewRows(tx, searched)
          add(sweep.name, count)
        }),
      )
    add('search', await dropForgottenRows(actCtx.db, searchWordsOf(given)))
    add('proposals', await forgetInProposals(actCtx, pattern))
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
    window = await nextWindow(db, sweep, window, ROWS_READ_AT_ONCE)
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
 * Matches a text in any of its stored forms: plain, percent-encoded as in a form or an address, or escaped as in JSON. Letters outside of
 * ASCII match composed and decomposed, capital and small, because PostgreSQL folds only the letters of the database's locale.
 */
const anySpelling = (text: string) =>
  Array.from(GRAPHEMES.segment(text), ({ segment }) => anySpellingOfLetter(segment)).join('')

function anySpellingOfLetter(letter: string): string {
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

/** No letter of a longer address comes before. An escaped line break or an encoded character may. */
const EMAIL_START =
  '(?:(?<![[:alnum:]._%+-])|(?<=\\\\[nrt])|(?<=%[0-9a-f][0-9a-f])|(?<=\\\\u00[0-9a-f][0-9a-f]))'

function emailPattern(email: string): string {
  const [local = '', domain = '', ...rest] = email.trim().split('@')
  if (!local || !domain.includes('.') || rest.length > 0 || /\s/.test(email.trim()))
    throw new AppError('validation_failed', {
      reason: 'buyer_wrong',
      message: `"${email}" is no e-mail address.`,
    })
  // Browsers and mail programs send a domain of another script in its ASCII form, so both forms may be stored.
  const domains = [...new Set([domain, domainToASCII(domain), domainToUnicode(domain)])].filter(Boolean)
  return `${EMAIL_START}${anySpelling(`${local}@`)}(?:${domains.map(anySpelling).join('|')})(?![[:alnum:]-]|\\.[[:alnum:]])`
}

/** Countries whose code has fewer than three digits. */
const SHORT_CODES = /^(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58])/

/**
 * Returns the digits of the number with its country code and without it, or only the given digits if the number has no country code. In
 * that case the search does not add country codes, because in another country the same digits are somebody else's number.
 */
function numbersOf(phone: string): string[] {
  const digits = phone.replaceAll(/[^0-9]/g, '')
  const isInternational = /^\s*(?:\+|00)/.test(phone)
  const international = digits.replace(/^00/, '')
  const code = SHORT_CODES.exec(international)?.[0] ?? international.slice(0, 3)
  return isInternational ? [international, international.slice(code.length)] : [digits]
}

/** No digit of a longer number comes before. */
const PHONE_START = '(?<![0-9]|\\+[0-9 ().-]*)'
const BETWEEN = '[ ().-]*'
const spaced = (digits: string) => [...digits].join(BETWEEN)

/**
 * Matches a number in any spelling with blanks, dots, dashes and brackets. A number with a country code is also found without the code:
 * after the 0 or 8 of a call within the country, or alone in a field for a telephone number.
 */
function phonePattern(phone: string): string {
  const [number = '', national] = numbersOf(phone)
  if ((national ?? number).length < PHONE_DIGITS_MIN || /\p{L}/u.test(phone))
    throw new AppError('validation_failed', {
      reason: 'buyer_wrong',
      message: `"${phone}" is no telephone number with at least ${PHONE_DIGITS_MIN} digits.`,
    })
  if (national === undefined) return `${PHONE_START}\\+?${spaced(number)}(?![0-9])`
  const code = number.slice(0, number.length - national.length)
  const spellings = [
    `(?:\\+|0[ ]*0[ ]*)?${spaced(code)}${BETWEEN}0?${BETWEEN}${spaced(national)}`,
    `${number.startsWith('7') ? '[08]' : '0'}${BETWEEN}${spaced(national)}`,
    `(?<="phone": ?"[ (]*)${spaced(national)}(?=[ ]*")`,
  ]
  return `${PHONE_START}(?:${spellings.join('|')})(?![0-9])`
}
