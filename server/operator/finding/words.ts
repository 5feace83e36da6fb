/** The search terms of a payment, as they are stored in its index: a letter for the kind, a colon, and the folded text (`e:ani`). */
import { idEnd } from '../../id.ts'
import { fold, foldParts, phoneWord } from './fold.ts'

export type WordKind =
  | 'short number'
  | 'order'
  | 'e-mail'
  | 'domain'
  | 'name'
  | 'telephone'
  | 'last four'
  | 'reference'
  | 'amount'

const MARKS: Record<WordKind, string> = {
  'short number': 's',
  order: 'o',
  'e-mail': 'e',
  domain: 'd',
  name: 'n',
  telephone: 'p',
  'last four': 'l',
  reference: 'r',
  amount: 'a',
}

/** What a person who looks for a payment may know about it. */
export type SearchFacts = {
  paymentId: string
  merchantOrderId: string
  amountMinor: number
  capturedMinor: number
  email: string | null
  phone: string | null
  name: string | null
  lastFours: string[]
  references: string[]
}

const WORD_MAX_CHARS = 80
/** The letter and its colon. */
const MARK_CHARS = 2

export const word = (kind: WordKind, folded: string): string =>
  `${MARKS[kind]}:${folded}`.slice(0, WORD_MAX_CHARS)

export function wordsOf(facts: SearchFacts): string[] {
  const { paymentId, merchantOrderId, amountMinor, capturedMinor, email, phone, name } = facts
  const [local = '', domain = ''] = email?.split('@') ?? []
  const words = [
    word('short number', fold(idEnd(paymentId))),
    word('amount', String(amountMinor)),
    capturedMinor > 0 && word('amount', String(capturedMinor)),
    ...wholeAndParts('order', merchantOrderId),
    // A number is also found without its leading zeros.
    ...foldParts(merchantOrderId).map((part) => word('order', part.replace(/^0+(?=\d)/, ''))),
    ...wholeAndParts('e-mail', local),
    domain && word('domain', fold(domain)),
    ...foldParts(name ?? '').map((part) => word('name', part)),
    phone && word('telephone', phoneWord(phone)),
    ...facts.lastFours.map((digits) => word('last four', fold(digits))),
    ...facts.references.map((reference) => word('reference', fold(reference))),
  ]
  const isEmpty = (each: string | false | null) => !each || each.length <= MARK_CHARS
  return [...new Set(words.filter((each) => !isEmpty(each)))] as string[]
}

/** Returns a term for the whole text, and one for each of its parts. */
function wholeAndParts(kind: WordKind, text: string): string[] {
  return [fold(text), ...foldParts(text)].map((folded) => word(kind, folded))
}
