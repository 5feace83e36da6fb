/**
 * Decides from the whole file what no single cell shows: the sign before the decimals, the order of days, the currency, what a
 * direction and the sign of a fee mean. What the file leaves open is a question.
 */
import { currenciesNamed, onlyCurrency } from '../../written/currency.ts'
import { readTime } from '../../written/time.ts'
import { findDirection } from './direction.ts'
import type { Evidence } from './evidence.ts'
import { unreadable } from './file.ts'
import type { StatementFormat } from './format.ts'
import { type Layout, wordsBeside } from './layout.ts'
import type { Question, Remark } from './question.ts'
import { dayOrdersOf } from './roles.ts'

type Decided = { decided: Partial<StatementFormat>; questions: Question[]; remarks: Remark[] }

export function decide(format: StatementFormat, facts: { evidence: Evidence; layout: Layout }): Decided {
  const parts = [
    format.units === 'major' ? decideSign(format, facts.evidence) : none(),
    decideDays(format, facts.evidence),
    decideCurrency(format, facts),
    decideDirection(format, facts),
    decideFees(format, facts.evidence),
    decideStatus(format, facts.evidence),
    decideZone(format),
  ]
  return {
    decided: Object.assign({}, ...parts.map(({ decided }) => decided)),
    questions: parts.flatMap(({ questions }) => questions),
    remarks: parts.flatMap(({ remarks }) => remarks),
  }
}

const none = (): Decided => ({ decided: {}, questions: [], remarks: [] })

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

function decideDays(format: StatementFormat, { orders, twoDays, noOrder }: Evidence): Decided {
  if (format.dates) return none()
  if (noOrder && orders.length === 0)
    throw unreadable(
      `Line ${noOrder.line}: "${noOrder.text}" is no date${dayOrdersOf(noOrder.text) === '' ? '' : ' in the order of the days above it'}.`,
      'statement_line',
      noOrder.line,
    )
  const [order = 'ymd'] = orders
  if (orders.length < 2 || !twoDays) return { ...none(), decided: { dates: order } }
  const choices = orders.flatMap((each) => {
    const day = readTime(twoDays.text, { order: each, timeZone: 'UTC' })
    return day ? [{ day, answers: { dates: each } }] : []
  })
  if (choices.length < 2) return { ...none(), decided: { dates: order } }
  return { ...none(), decided: { dates: order }, questions: [{ about: 'days', ...twoDays, choices }] }
}

/** A column, a sign beside each amount, or the name of the column says the currency. */
function decideCurrency(
  format: StatementFormat,
  { evidence, layout }: { evidence: Evidence; layout: Layout },
): Decided {
  const { columns, currency } = format
  if (columns.currency) return none()
  const beside = [...evidence.currencies.keys()].filter((each) => each !== '')
  const named = beside.map((each) => each.split(' '))
  if (currency !== undefined) {
    const [only, ...others] = named
    const isOther = only && others.length === 0 && !only.includes(currency)
    // One sign beside all amounts, and a person who says otherwise: the person knows the account.
    if (!isOther) return none()
    return {
      ...none(),
      decided: { currencyIsSaid: true },
      remarks: [{ about: 'currency', found: only, said: currency }],
    }
  }
  const ofHead = layout.names
    .filter((name) => [columns.amount, columns.debit, columns.credit].includes(name))
    .flatMap((name) => wordsBeside(name).flatMap((word) => currenciesNamed(word)))
  const isEach = !evidence.currencies.has('') && named.length > 0
  const found =
    isEach && named.every((each) => onlyCurrency(each) !== undefined)
      ? named
      : ofHead.length > 0
        ? [ofHead]
        : []
  const [first] = found
  const code = first ? onlyCurrency(first) : isEach ? undefined : layout.currency
  if (code === undefined)
    return evidence.lines === 0 ? none() : { ...none(), questions: [{ about: 'currency' }] }
  return { ...none(), decided: { currency: code } }
}

function decideDirection(format: StatementFormat, facts: { evidence: Evidence; layout: Layout }): Decided {
  const { column, credit, questions } = findDirection(format, facts)
  const columns = column === undefined ? undefined : { ...format.columns, direction: column }
  const remarks: Remark[] =
    column === undefined ? [] : [{ about: 'direction', column, credit: format.credit ?? credit ?? '' }]
  return {
    decided: { ...(columns && { columns }), ...(credit !== undefined && { credit }) },
    questions,
    remarks,
  }
}

function decideStatus(format: StatementFormat, evidence: Evidence): Decided {
  const { statuses, questions } = decideStatuses(format, evidence)
  return { ...none(), decided: statuses ? { statuses } : {}, questions }
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

const MOVED =
  /^(ok|done|completed?|success(ful)?|succeeded|booked?|posted|settled|cleared|paid|processed|executed|approved|accepted|finished|исполнен[оа]?|проведен[оа]?|выполнен[оа]?|завершен[оа]?|успешно|gebucht|ausgeführt|erledigt|կատարված|ավարտված|հաջողված)$/i
const MOVED_NOTHING =
  /^(failed|failure|declined|rejected|denied|refused|cancell?ed|void(ed)?|reverted|reversed|expired|pending|processing|in progress|on hold|authori[sz]ed|отклонен[оа]?|отменен[оа]?|ошибка|в обработке|ожидает|не исполнен[оа]?|vorgemerkt|abgelehnt|storniert|offen|մերժված|չեղարկված|ընթացքում)$/i

type Statuses = { statuses?: string[]; questions: Question[] }

/** A cell without a word says nothing against its line. */
function decideStatuses({ columns, statuses }: StatementFormat, { words }: Evidence): Statuses {
  if (columns.status === undefined || statuses !== undefined) return { questions: [] }
  const all = [...words.status.keys()].filter((word) => word !== '')
  const plain = (word: string) => word.toLowerCase().replaceAll('ё', 'е')
  const moved = all.filter((word) => MOVED.test(plain(word)))
  const unknown = all.filter((word) => !moved.includes(word) && !MOVED_NOTHING.test(plain(word)))
  if (unknown.length === 0)
    return moved.length === all.length ? { questions: [] } : { statuses: moved, questions: [] }
  return all.length === 1 ? { questions: [] } : { questions: [{ about: 'status', words: all }] }
}
