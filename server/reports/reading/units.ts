/**
 * Whether the amounts of a file are in minor units, by the names of their columns: `amount_minor`, `Сумма (коп.)`.
 * Rule: amounts are never read as a hundredth, or as a hundredfold, of what may be meant. What a person has said counts first.
 */
import type { Evidence } from './evidence.ts'
import { unreadable } from './file.ts'
import type { StatementFormat } from './format.ts'
import { currenciesOfName } from './layout.ts'

type Units = 'minor' | 'major'

const MINOR_WORD = String.raw`(?:minor|cents?|kopecks?|копе(?:йк|ек)\p{L}*|коп|luma|лума\p{L}*|լումա\p{L}*|pence)(?!\p{L})`
const MINOR = new RegExp(String.raw`(?<!\p{L})${MINOR_WORD}`, 'iu')
/** `Сумма, руб. коп.` and `Amount (dollars and cents)` name the two parts of one amount. */
const BOTH = [
  /(?<!\p{L})(?:руб\p{L}*|драм\p{L}*|drams?|դրամ\p{L}*|dollars|euros|pounds|rou?bles|лари|lari|тенге|tenge)(?!\p{L})/iu,
  new RegExp(String.raw`(?:(?<!\p{L})(?:and|и|und|և|եւ)|[&+]) *${MINOR_WORD}`, 'iu'),
]
/** `Amount (USD cents)` may name the one or the other. */
const MAJOR = /(?<!\p{L})(?:major|dollar|euro|pound|rou?ble|доллар\p{L}*|евро)(?!\p{L})|\p{Sc}/iu
const THOUSANDS =
  /(?<!\p{L})(?:thousands?|тыс|тысяч\p{L}*|tsd|հազար\p{L}*|millions?|mln|млн|[kt](?:usd|eur|amd|rub|gbp))(?!\p{L})/iu

/** @throws AppError validation_failed for thousands, and for names that leave it open */
export function unitsOf(
  { units, columns: { amount, debit, credit } }: StatementFormat,
  evidence: Pick<Evidence, 'point' | 'comma' | 'either'>,
): Units {
  const names = [amount, debit, credit].filter((name) => name !== undefined)
  const large = names.find((name) => THOUSANDS.test(name))
  if (large !== undefined)
    throw unreadable(
      `The column "${large}" has thousands or millions, so the amounts are not exact. Export the file with whole amounts.`,
      'statement_columns',
    )
  if (units !== undefined) return units
  // Minor units have no decimals.
  const hasDecimals = [evidence.point, evidence.comma, evidence.either].some((seen) => seen !== null)
  const found = names.map((name) => unitsNamed(name.replaceAll('_', ' ')))
  const open = names.find((_, at) => found[at] === 'either' || found[at] !== found[0])
  if (open === undefined) return found[0] === 'minor' ? 'minor' : 'major'
  if (hasDecimals && !found.includes('minor')) return 'major'
  throw unreadable(
    `The column "${open}" does not say for certain whether 100 is one unit of its currency or a hundred. Describe the columns of the account's statements, and choose its units there.`,
    'statement_columns',
  )
}

function unitsNamed(name: string): Units | 'either' {
  if (!MINOR.test(name) || BOTH.some((form) => form.test(name))) return 'major'
  return MAJOR.test(name) || currenciesOfName(name).length > 0 ? 'either' : 'minor'
}
