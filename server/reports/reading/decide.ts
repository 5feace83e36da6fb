/**
 * Decides from the whole file what no single cell shows: the sign before the decimals, the order of days, the currency, what a
 * direction and the sign of a fee mean. What the file leaves open is a question.
 */
import { onlyCurrency } from '../../written/currency.ts'
import type { DayOrder } from '../../written/time.ts'
import { findDirection } from './direction.ts'
import type { Evidence } from './evidence.ts'
import { unreadable } from './file.ts'
import type { StatementFormat } from './format.ts'
import { currenciesOfName } from './layout.ts'
import type { Question, Remark } from './question.ts'
import { daysOf } from './roles.ts'
import { type Decided, decideStatus, type FileFacts, none } from './status.ts'
import { unitsOf } from './units.ts'

type DecidedParts = Omit<Decided, 'decided'> & { decided: Partial<StatementFormat> }

export function decide(format: StatementFormat, facts: FileFacts): DecidedParts {
  const units = unitsOf(format, facts.evidence)
  const parts = [
    { ...none(), decided: { units } },
    units === 'major' ? decideSign(format, facts.evidence) : none(),
    decideDays(format, facts),
    decideCurrency(format, facts),
    decideDirection(format, facts),
    decideFees(format, facts.evidence),
    decideStatus(format, facts),
    decideZone(format),
  ]
  const columns = Object.assign({}, format.columns, ...parts.map(({ decided }) => decided.columns))
  return {
    decided: Object.assign({}, ...parts.map(({ decided }) => decided), { columns }),
    questions: parts.flatMap(({ questions }) => questions),
    remarks: parts.flatMap(({ remarks }) => remarks),
  }
}

function decideSign(format: StatementFormat, evidence: Evidence): Decided {
  const { point, comma, either, three, notThree } = evidence
  const sign = format.decimalSign
  if (sign === undefined && point && comma)
    throw unreadable(
      `Line ${point.line} writes the amount ${point.text} with a point before the decimals, and line ${comma.line} writes ${comma.text} with a comma.`,
      'statement_line',
      Math.max(point.line, comma.line),
    )
  const shown = sign ?? (point ? '.' : comma ? ',' : undefined)
  const threeDecimals = format.threeDecimals ?? (three !== null && notThree === null)
  if (
    either &&
    !threeDecimals &&
    (shown === undefined || either.text.includes(shown)) &&
    isThreeOf(either.text, shown)
  )
    return {
      ...none(),
      decided: { decimalSign: shown ?? '.' },
      questions: [amountQuestion(either, shown)],
    }
  return { ...none(), decided: { decimalSign: shown ?? '.', threeDecimals } }
}

/** With a comma before the decimals, `1.250` is a thousand and some. Only the other way round it is a question. */
const isThreeOf = (text: string, sign: '.' | ',' | undefined) =>
  sign === undefined || text.lastIndexOf(sign) > text.lastIndexOf(sign === '.' ? ',' : '.')

function amountQuestion(
  { text, line }: { text: string; line: number },
  shown: '.' | ',' | undefined,
): Question {
  const beside = text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ','
  const digits = text.replaceAll(/\D/g, '')
  const quarter = {
    minor: Math.round(Number(digits) / 10),
    answers: { decimalSign: beside, threeDecimals: true } as const,
  }
  const thousand = {
    minor: Number(digits) * 100,
    answers: { decimalSign: beside === '.' ? ',' : '.' } as const,
  }
  return { about: 'amounts', text, line, choices: shown === undefined ? [thousand, quarter] : [quarter] }
}

function decideDays(format: StatementFormat, { evidence, now }: FileFacts): Decided {
  if (format.dates) return none()
  const { twoDays, noOrder } = evidence
  const orders = likelyOrders(evidence, now)
  if (noOrder && orders.length === 0)
    throw unreadable(
      `Line ${noOrder.line}: "${noOrder.text}" is no date${daysOf(noOrder.text).size === 0 ? '' : ' in the order of the days above it'}.`,
      'statement_line',
      noOrder.line,
    )
  const [order = 'ymd'] = orders
  if (orders.length < 2 || !twoDays) return { ...none(), decided: { dates: order } }
  // Days with the name of a month are the same in most orders. That of `ymd` has no other year there.
  const choices = [...daysOf(twoDays.text)]
    .filter(([each]) => orders.includes(each) && each !== 'ymd')
    .filter(([, at], index, all) => all.findIndex(([, other]) => other === at) === index)
    .map(([each, at]) => ({ day: new Date(at), answers: { dates: each } }))
  if (choices.length < 2) return { ...none(), decided: { dates: order } }
  return { ...none(), decided: { dates: order }, questions: [{ about: 'days', ...twoDays, choices }] }
}

const DAY_MS = 86_400_000
const SPAN_MS = 300 * DAY_MS
const AHEAD_MS = 31 * DAY_MS

/** No line of a statement is later. Banks list what is due soon. */
export const lastDayAt = (now: Date) => new Date(now.getTime() + AHEAD_MS)

/**
 * Where years have two digits, `26-11-28` may begin or end with its year. A statement has no days of next year, and does not cover
 * many years with a few lines. Orders that agree on the year are never told apart by this.
 */
function likelyOrders({ orders, spans }: Evidence, now: Date): DayOrder[] {
  const lastYear = lastDayAt(now).getUTCFullYear()
  const isLikely = (order: DayOrder) => {
    const { first, last } = spans.get(order) ?? { first: 0, last: 0 }
    return new Date(last).getUTCFullYear() <= lastYear && last - first <= SPAN_MS
  }
  const others = orders.filter((order) => order !== 'yymmdd')
  if (others.length === 0 || others.length === orders.length) return orders
  const [isFirst, isLast] = [isLikely('yymmdd'), others.some(isLikely)]
  return isFirst === isLast ? orders : isFirst ? ['yymmdd'] : others
}

/** A column, a sign beside each amount, or the name of the column says the currency. */
function decideCurrency(format: StatementFormat, { evidence, layout }: FileFacts): Decided {
  const { columns, currency } = format
  const ofHead = layout.names
    .filter((name) => [columns.amount, columns.debit, columns.credit].includes(name))
    .flatMap(currenciesOfName)
  if (columns.currency) return decideByColumn(format, evidence, onlyCurrency(ofHead))
  const beside = [...evidence.currencies.keys()].filter((each) => each !== '')
  const named = beside.map((each) => each.split(' '))
  if (currency !== undefined) {
    const [only, ...others] = named
    // One sign beside all amounts, and a person who says otherwise: the person knows the account.
    if (only && others.length === 0 && !only.includes(currency))
      return { ...otherCurrencyStated(only, currency), decided: { currencyIsSaid: true } }
    const stated = ofHead.length > 0 ? ofHead : [layout.currency].filter((each) => each !== undefined)
    const isOther = named.length === 0 && stated.length > 0 && !stated.includes(currency)
    return isOther ? otherCurrencyStated(stated, currency) : none()
  }
  const isEach = !evidence.currencies.has('') && named.length > 0
  const found =
    isEach && named.every((each) => onlyCurrency(each) !== undefined)
      ? named
      : ofHead.length > 0
        ? [ofHead]
        : []
  const [first] = found
  const code = first ? onlyCurrency(first) : isEach ? undefined : layout.currency
  const { otherCurrency } = evidence
  if (!first && code !== undefined && otherCurrency)
    throw unreadable(
      `Line ${otherCurrency.line} states the currency ${otherCurrency.text}, and above the table stands ${code}. Split the file into one for each currency.`,
      'statement_line',
      otherCurrency.line,
    )
  if (code === undefined)
    return evidence.lines === 0 ? none() : { ...none(), questions: [{ about: 'currency' }] }
  return { ...none(), decided: { currency: code } }
}

const otherCurrencyStated = (found: string[], stated: string): Decided => ({
  ...none(),
  remarks: [{ about: 'currency', found, said: stated }],
})

/** The name of the amounts may state another currency than a column beside them. That column is about something else then. */
function decideByColumn(
  { currency }: StatementFormat,
  { words, currencies }: Evidence,
  named: string | undefined,
): Decided {
  const isOther =
    named !== undefined &&
    [...words.currency.keys()].some((word) => word !== '' && word.toUpperCase() !== named)
  const isBlank = words.currency.has('') && currencies.has('')
  if (currency !== undefined) return { ...none(), decided: isOther ? { currencyIsSaid: true } : {} }
  if (isOther) return { ...none(), questions: [{ about: 'currency', named }] }
  return isBlank ? { ...none(), questions: [{ about: 'currency' }] } : none()
}

function decideDirection(format: StatementFormat, facts: FileFacts): Decided {
  const { column, credit, questions } = findDirection(format, facts)
  if (column === undefined && isUnsigned(format, facts.evidence)) {
    const { open } = facts.evidence.balance
    if (open)
      return { ...none(), questions: [...questions, { about: 'unsigned', marked: open[0], ...open[1] }] }
    const unsigned = directionByBalance(facts.evidence)
    if (unsigned !== undefined) return { ...none(), decided: { unsigned } }
  }
  const remarks: Remark[] =
    column === undefined ? [] : [{ about: 'direction', column, credit: format.credit ?? credit ?? '' }]
  return {
    decided: {
      ...(column !== undefined && { columns: { direction: column } }),
      ...(credit !== undefined && { credit }),
    },
    questions,
    remarks,
  }
}

const isUnsigned = ({ columns, kinds, unsigned }: StatementFormat, { hasMinus }: Evidence) =>
  columns.amount !== undefined &&
  columns.direction === undefined &&
  unsigned === undefined &&
  !hasMinus &&
  Object.keys(kinds).length === 0

/** @throws AppError validation_failed where some money came and some went, and only the balance shows it */
function directionByBalance({ balance: { came, went } }: Evidence): 'came' | 'went' | undefined {
  if (went === null) return came > 0 ? 'came' : undefined
  if (came === 0) return 'went'
  throw unreadable(
    `Line ${went.line}: the amount ${went.text} has no sign, and the balance says that this money went. Export the statement with signs, or with a column for each direction.`,
    'statement_line',
    went.line,
  )
}

const ZONES: [RegExp, string][] = [
  [/(?<!\p{L})(?:utc|gmt)(?![\p{L}+\-\d])/iu, 'UTC'],
  [/(?<!\p{L})(?:msk|мск)(?!\p{L})/iu, 'Europe/Moscow'],
]

/** The name of the column may state the zone: `Date completed (UTC)`. */
function decideZone({ timeZone, columns }: StatementFormat): Decided {
  const names = `${columns.at} ${columns.time ?? ''}`
  const zone = timeZone === undefined && ZONES.find(([name]) => name.test(names))?.[1]
  return zone ? { ...none(), decided: { timeZone: zone } } : none()
}

/** A fee of money that came is kept by the provider, so its sign shows how the file writes fees. */
function decideFees({ feeSign, columns }: StatementFormat, { fees }: Evidence): Decided {
  if (feeSign || columns.feeDirection || !columns.fee) return none()
  return { ...none(), decided: { feeSign: fees.minus > fees.plus ? 'minus' : 'plus' } }
}
