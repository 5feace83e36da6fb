/** The words under which a payment is found. A word begins with its kind. */
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

/** What a person may have in hand about a payment. */
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

export const word = (kind: WordKind, folded: string): string =>
  `${MARKS[kind]}:${folded}`.slice(0, WORD_MAX_CHARS)

export function wordsOf(facts: SearchFacts): string[] {
  const { paymentId, merchantOrderId, amountMinor, capturedMinor, email, phone, name } = facts
  const [local = '', domain = ''] = email?.split('@') ?? []
  const words = [
    word('short number', fold(idEnd(paymentId))),
    word('amount', String(amountMinor)),
    capturedMinor > 0 && word('amount', String(capturedMinor)),
    ...ways('order', merchantOrderId),
    ...foldParts(merchantOrderId).map((part) => word('order', part.replace(/^0+(?=\d)/, ''))),
    ...ways('e-mail', local),
    domain && word('domain', fold(domain)),
    ...foldParts(name ?? '').map((part) => word('name', part)),
    phone && word('telephone', phoneWord(phone)),
    ...facts.lastFours.map((digits) => word('last four', fold(digits))),
    ...facts.references.map((reference) => word('reference', fold(reference))),
  ]
  return [...new Set(words.filter((each) => each && each.length > 2))] as string[]
}

/** The whole text in one, and each of its parts. */
function ways(kind: WordKind, text: string): string[] {
  return [fold(text), ...foldParts(text)].map((folded) => word(kind, folded))
}
