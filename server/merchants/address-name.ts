/**
 * Names of short addresses, such as `tea` in `/p/tea`. Buyers type them from a poster, on any keyboard and in any case, so names
 * that look alike are the same name.
 */
import { AppError } from '../errors.ts'
import { fold, pairsOf } from './look-alikes.ts'

const NAME_MIN_CHARS = 3
const NAME_MAX_CHARS = 30
/** What somebody types may have blanks, dots and dashes that a name has not. A longer text is not looked up. */
const TYPED_MAX_CHARS = 60

const SCRIPTS = [/^[a-z0-9-]+$/, /^[а-яё0-9-]+$/, /^[ա-և0-9-]+$/]

/** Letters that look like a Latin one on a sign, beyond those that people mix up when they type. */
const ON_A_SIGN: Record<string, string> = {
  ...pairsOf('пгизшьбч', 'nru3wb64'),
  ...pairsOf('առրգւիտ', 'wnnq1hs'),
}

/** Words that belong to whoever runs the service. A stranger's poster could use them to mislead buyers. */
const RESERVED = [
  ...['test', 'kassa', 'pay', 'payment', 'payments', 'checkout', 'bank', 'card', 'login', 'signin', 'admin'],
  ...['console', 'account', 'help', 'support', 'refund', 'docs', 'install', 'sandbox', 'live', 'official'],
  ...[
    'тест',
    'касса',
    'оплата',
    'платеж',
    'платёж',
    'банк',
    'карта',
    'вход',
    'помощь',
    'поддержка',
    'возврат',
  ],
  ...['թեստ', 'կասսա', 'վճարում', 'վճարել', 'բանկ', 'քարտ', 'մուտք', 'օգնություն', 'վերադարձ'],
].map(foldName)

/** Returns the key under which a name is stored: equal for names that look alike. */
function foldName(text: string): string {
  return [...fold(text)]
    .map((letter) => ON_A_SIGN[letter] ?? letter)
    .join('')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
}

/** Returns a name in its stored spelling with its key. @throws AppError validation_failed */
export function parseAddressName(text: string): { name: string; folded: string } {
  const name = text.normalize('NFKC').toLowerCase()
  const chars = [...name].length
  if (chars < NAME_MIN_CHARS || chars > NAME_MAX_CHARS)
    throw refused(`must have ${NAME_MIN_CHARS} to ${NAME_MAX_CHARS} characters; this one has ${chars}`)
  if (!/\p{L}/u.test(name) || !/^[\p{L}0-9]+(-[\p{L}0-9]+)*$/u.test(name))
    throw refused('consists of letters, digits and single dashes between them, with at least one letter')
  if (!SCRIPTS.some((script) => script.test(name)))
    throw refused('uses the letters of one alphabet: Latin, Russian or Armenian')
  const folded = foldName(name)
  if (RESERVED.includes(folded)) throw refused('must not be, or look like, a word of the payment service')
  return { name, folded }
}

/** Returns the key of what somebody has typed. Returns null if it cannot be a name. */
export function keyOfTyped(text: string): string | null {
  if (text.length > TYPED_MAX_CHARS) return null
  return foldName(text) || null
}

function refused(why: string): AppError {
  return new AppError('validation_failed', {
    reason: 'address_wrong',
    message: `The name ${why}. Choose a name such as mountain-tea.`,
  })
}
