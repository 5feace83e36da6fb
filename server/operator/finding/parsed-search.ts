/** Reads what a person says about a payment, and returns the words that its row may have. */
import { ID_BODY } from '../../id.ts'
import { type Days, takeDay } from './day.ts'
import { fold, phoneWord } from './fold.ts'
import { type WordKind, word } from './words.ts'

/** Words of which a payment needs one. `exact`: the word; otherwise a word that begins with it. */
export type Alternative = { text: string; kind: WordKind; exact: boolean }

export type ParsedSearch = {
  ids: string[]
  days: Days | null
  /** The payment needs one alternative of each. */
  groups: Alternative[][]
  /** Alternatives to the words: the whole text is one number or one reference, with blanks in it. */
  whole: Alternative[]
}

const SEARCH_MAX_CHARS = 300
const GROUPS_MAX = 8
const PHONE_DIGITS_MIN = 6
/** Fewer characters that stand apart are not looked for as the beginning of a longer text. */
const WHOLE_MIN = 4
const PAYMENT_ID = new RegExp(`(?:pay|lnk)_(?:test_)?${ID_BODY}`, 'g')
const CURRENCY = String.raw`[$€֏]|usd|eur|amd|dollars?|bucks?|euros?|drams?|долл\p{L}*|бакс\p{L}*|евро|драм\p{L}*|դոլար\p{L}*|եվրո\p{L}*|դրամ\p{L}*`
const NUMBER = String.raw`\d{1,3}(?:[ ,.'’\u00a0]\d{3})+(?:[.,]\d{1,2})?|\d+(?:[.,]\d{1,2})?`
const PRICED = new RegExp(
  `(?:${CURRENCY})\\s?(${NUMBER})(?!\\d)|(?<![\\d.,])(${NUMBER})\\s?(?:${CURRENCY})(?!\\p{L})`,
  'gu',
)
const DECIMAL = /(?<![\p{L}\d.,])(\d{1,3}(?:[ ,.'’]\d{3})+[.,]\d\d|\d+[.,]\d\d)(?![\p{L}\d.,])/gu
const EMAIL = /([^\s@]*)@([^\s@]*)/gu
/** Half of an e-mail address without its sign, such as `maria.petrosyan` or `mail.example`. */
const DOTTED =
  /(?<![\p{L}\p{N}.@-])(?=[^\s.]*\p{L})[\p{L}\p{N}_-]+(?:\.(?=[^\s.]*\p{L})[\p{L}\p{N}_-]+)+(?![\p{L}\p{N}@-])/gu
const PHONE = /(?<![\p{L}\d])\+?\d[\d\s().-]{4,}\d(?![\p{L}\d])/gu
/** Words that say nothing about which payment it is. */
const FILLERS = new Set(
  `a about an and at by card code customer ending ends for from her his i in is it mail my name number of on order paid payment
  phone reference ref short the to was with заказ заказа карта карты на номер от оплата платеж платёж по телефон почта за в во с со
  և համար պատվեր քարտ վճարում հեռախոս`.split(/\s+/),
)

/** `zone`: the time zone of the days that the person names. */
export function parseSearch(text: string, { now, zone }: { now: Date; zone: string }): ParsedSearch {
  let rest = text.normalize('NFKC').toLowerCase().slice(0, SEARCH_MAX_CHARS)
  const ids = (rest.match(PAYMENT_ID) ?? []).map((id) => id.replace('lnk_', 'pay_'))
  rest = rest.replaceAll(PAYMENT_ID, ' ')
  const groups: Alternative[][] = []
  const take = (pattern: RegExp, read: (...found: string[]) => Alternative[]) => {
    rest = rest.replaceAll(pattern, (...found) => {
      groups.push(read(...(found as string[])))
      return ' '
    })
  }
  take(EMAIL, (_all, local = '', domain = '') => emailWords(local, domain))
  const dated = takeDay(rest, now, zone)
  rest = dated.rest
  const whole = wholeWords(rest)
  take(PRICED, (_all, before, after) => [amountWord(before ?? after ?? '')])
  take(DECIMAL, (_all, number = '') => [amountWord(number), ...textWords(number)])
  take(DOTTED, (all) => textWords(all))
  take(PHONE, (all) => numberWords(all))
  for (const token of rest.split(/[^\p{L}\p{M}\p{N}]+/u)) {
    if (token === '' || FILLERS.has(token)) continue
    groups.push(/^\d+$/.test(token) ? numberWords(token) : textWords(token))
  }
  const meant = groups.map((group) => group.filter(isMeant)).filter(({ length }) => length > 0)
  return { ids, days: dated.days, groups: meant.slice(0, GROUPS_MAX), whole: whole.filter(isMeant) }
}

/** Every word begins with nothing. */
const isMeant = ({ kind, text }: Alternative) => text.length > word(kind, '').length

const begins = (kind: WordKind, text: string): Alternative => ({ kind, text: word(kind, text), exact: false })
const is = (kind: WordKind, text: string): Alternative => ({ kind, text: word(kind, text), exact: true })

function emailWords(local: string, domain: string): Alternative[] {
  // Half of an address: what stands before the sign, or after it.
  return local === '' ? [begins('domain', fold(domain))] : [begins('e-mail', fold(local))]
}

/** A number of a short order, of a telephone, of a card, of a bank, or a sum without its currency. */
function numberWords(number: string): Alternative[] {
  const digits = number.replaceAll(/\D/g, '')
  const folded = fold(digits)
  const bare = folded.replace(/^0+(?=\d)/, '')
  return [
    ...(digits.length === 4 ? [is('last four', folded)] : []),
    ...(digits.length <= 8 ? [is('amount', String(Number(digits) * 100))] : []),
    ...(digits.length >= PHONE_DIGITS_MIN || digits.length === 4
      ? [begins('telephone', phoneWord(digits))]
      : []),
    begins('order', folded),
    begins('e-mail', folded),
    ...(bare === folded || bare === '0' ? [] : [begins('order', bare)]),
    begins('reference', folded),
    begins('short number', folded),
  ]
}

function textWords(text: string): Alternative[] {
  const folded = fold(text)
  if (folded.length < 2) return []
  return (['short number', 'order', 'e-mail', 'domain', 'name', 'reference'] as const).map((kind) =>
    begins(kind, folded),
  )
}

function wholeWords(text: string): Alternative[] {
  const tokens = text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((token) => token !== '' && !FILLERS.has(token))
  const folded = fold(tokens.join(''))
  if (tokens.length < 2) return []
  // So few letters begin many words. As a whole they may be an order.
  if (folded.length < WHOLE_MIN) return [is('order', folded)]
  return (['short number', 'order', 'reference', 'e-mail', 'domain'] as const).map((kind) =>
    begins(kind, folded),
  )
}

function amountWord(number: string): Alternative {
  const decimals = /[.,](\d{1,2})$/.exec(number)?.[1]
  const major = (decimals === undefined ? number : number.slice(0, -decimals.length - 1)).replaceAll(
    /\D/g,
    '',
  )
  return is('amount', String(Number(major) * 100 + Number((decimals ?? '').padEnd(2, '0'))))
}
