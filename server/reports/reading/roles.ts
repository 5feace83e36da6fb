/** What a column of a statement may mean, by its name. Names in the languages of banks here and of their neighbours. */
import { readAmount } from '../../written/amount.ts'
import { DAY_ORDERS, type DayOrder, readTime } from '../../written/time.ts'

/** `net` and `balance` are not stored. They show how the file writes amounts. */
export const SINGLE_ROLES = [
  'at',
  'time',
  'zone',
  'amount',
  'debit',
  'credit',
  'currency',
  'id',
  'kind',
  'fee',
  'feeCurrency',
  'direction',
  'status',
  'payout',
  'balance',
  'net',
] as const
export type Role = (typeof SINGLE_ROLES)[number]

/** For each role the first pattern that matches any column counts. A column gets the first role that matches it. */
const NAMES: [Role, RegExp[]][] = [
  [
    'time',
    [
      /^(time|transaction time|booking time|uhrzeit|время|время операции|час|ժամ|ժամը|heure|hora|godzina|čas|kellaaeg)$/,
    ],
  ],
  ['zone', [/^time ?zone$|^zeitzone$|часовой пояс|ժամային գոտի/]],
  [
    'balance',
    [
      /balance(?!_)|saldo|kontostand|остаток|баланс|մնացորդ|solde|^running|zůstatek|zostatok|egyenleg|atlikums|bakiye|ნაშთი/,
    ],
  ],
  [
    'direction',
    [
      /(debit|\bdr\b|soll|дебет|дт).{1,5}(credit|\bcr\b|haben|кредит|кт)|(credit|\bcr\b|кредит|haben).{1,5}(debit|\bdr\b|дебет|soll)|cdtdbtind|^(drcr|d c|s h|c d|d\/c|s\/h|c\/d|d k|k d|d\/k|k\/d)$|^direction$|^money direction$/,
      /^(af bij|dare avere|segno|sens|směr|irány|debe haber|debets\/?kredīts|debets kredīts|debet\/?kredit|kredit\/?debet)$/,
    ],
  ],
  ['feeCurrency', [/(fee|commission) currency|валюта комисс/]],
  [
    'currency',
    [
      /^(transaction|operation|payment|gross) currency$|^валюта (операции|платежа|транзакции)$/,
      /^(currency|currency code|curr|cur|ccy|währung|waehrung|whg|devise|moneda|divisa|valuta|валюта|код валюты|արժույթ|արժույթը|account currency|валюта счета|валюта карты|waluta|měna|mena|deviza|devizanem|munt|valūta|valuutta|para birimi|ვალუტა)$/,
    ],
  ],
  [
    'debit',
    [
      /^(debit|debits|debit amount|withdrawals?|withdrawal amount|paid out|money out|soll|ausgang|belastung|lastschrift|расход|расходы|дебет|списано|списание|сумма списания|по дебету|сумма по дебету|оборот дебет|ելք|դեբետ|débit|cargos?|amount out|outgoing|dare)$/,
      /^(af|uit|ud|ut|uttag|hævet|ut fra konto|obciążenia?|wydatki|odchozí|výdaje?|terhelés|débito|saídas?|debe|retiros?|debets?|დებეტი)$/,
      /^(?!.*(account|card)).*\bdebit\b|money out|paid out|withdrawal|сумма.*(дебет|списан)|дебет|դեբետ|ելքագր|расход/,
    ],
  ],
  [
    'credit',
    [
      /^(credit|credits|credit amount|deposits?|deposit amount|paid in|money in|haben|eingang|gutschrift|приход|приходы|кредит|зачислено|зачисление|поступление|сумма зачисления|по кредиту|сумма по кредиту|оборот кредит|մուտք|կրեդիտ|crédit|abonos?|amount in|incoming|avere)$/,
      /^(bij|ind|inn|insättning|indsat|inn på konto|uznania?|wpływy|příchozí|příjmy|jóváírás|crédito|entradas?|haber|depósitos?|kredīts|kredits?|კრედიტი)$/,
      /^(?!.*(account|card)).*\bcredit\b|money in|paid in|deposit|сумма.*(кредит|зачисл|поступ)|кредит|կրեդիտ|մուտքագր|приход/,
    ],
  ],
  [
    'fee',
    [
      /\b(fee|fees|commission)\b|^charges?$|gebühr|entgelt|комисси|միջնորդավճար|prowizja|poplatek|^frais|^comisi|^commissione/,
    ],
  ],
  ['net', [/^net\b|netto|нетто|^զուտ/]],
  [
    'status',
    [
      /^(status|state|transactional status|transaction status|статус|состояние|կարգավիճակ|stan|stav|estado|stato|durum)$/,
    ],
  ],
  [
    'kind',
    [
      /^(type|transaction type|operation type|kind|category|reporting category|umsatzart|buchungsart|тип|тип операции|вид операции|տեսակ|գործարքի տեսակ)$/,
    ],
  ],
  ['payout', [/^(automatic )?payout id$/]],
  [
    'id',
    [
      /^(id|fitid|balance transaction id|transaction id|transactionid|entry id|operation id|line id|unique id|transaktions id|id (транзакции|операции)|номер (транзакции|операции))$/,
      /^(transaction|entry|line|operation) (no|number|nr)$/,
    ],
  ],
  [
    'at',
    [
      /^(booking|posting|posted|book|transaction|operation|trans|completed|completion|payment) ?(date|date and time|datetime|time)?$|^(date|datetime|date time) (of )?(booking|posting|transaction|operation|completed|completion)$|^posted (on|at|date)$|^buchungs ?(tag|datum)$|^buchung$|^дата (и время )?(операции|проводки|транзакции|платежа|совершения операции)$|^(գործարքի|գործառնության) ամսաթիվ/,
      /^(bokförings|transaktions)(dag|datum)$|^bogført( dato)?$|^bokført(dato| dato)?$|^data (operacji|księgowania|transakcji|contabile|operazione|movimento|do lançamento)$|^datum (provedení|zaúčtování)$|^dátum zaúčtovania$|^könyvelés dátuma$|^tranzakció dátuma$|^date (d.exécution|comptable|opération|de l.opération)$|^fecha (de )?(operación|contable)$|^işlem tarihi$|^kirjauspäivä$/,
      /^(date and time|date time|datetime|дата и время|timestamp)$/,
      /^(date|day|datum|tag|дата|день|ամսաթիվ|օր|fecha|data|dátum|dato|datums|kuupäev|päivä|თარიღი|created|created utc|created date|tarih)$/,
      /^(?!.*(value|valuta|valeur|valor|waluty|valuty|splatnosti|rente|arvo|érték|wert|due|available|transfer|settle|expected|валютир)).*(date|datum|dato|dátum|\bdata\b|buchung|дата|ամսաթիվ|created|fecha|tarih|თარიღი|kuupäev)/,
      /date|datum|dato|dátum|\bdata\b|fecha|tarih|дата|ամսաթիվ|valuta|value/,
    ],
  ],
  [
    'amount',
    [
      /^(gross|gross amount|gross transaction amount)$/,
      /^(amount|sum|total|betrag|umsatz|сумма|գումար|գումարը|importe|montant|importo|kwota|bedrag|tutar|transaction amount|amount of transaction|сумма (операции|платежа|транзакции|в валюте операции)|գործարքի գումար)$/,
      /^(beløb|beløp|belopp|částka|suma|summa|összeg|valor|iznos|määrä|თანხა|kwota (operacji|transakcji))$/,
      /^(?!.*(tax|refund|converted|net|fee|balance|налог)).*(amount|betrag|umsatz|сумма|գումար|importe|montant|importo|kwota|bedrag|beløb|beløp|belopp|částka|összeg)/,
    ],
  ],
]

/** Columns that may have our number of the order. */
const ORDERS =
  /reference|\bref\b|order|invoice|custom\b|referenz|bestell|rechnung|заказ|референс|պատվեր|հղում/

/** Returns the name without its text in brackets, in lower case, and with blanks for signs. */
export function plainName(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/\([^)]*\)|\[[^\]]*\]|,.*$/g, ' ')
    .replaceAll(/[^\p{L}\p{N}/]+/gu, ' ')
    .trim()
}

/** Returns the place of each role by the names. `fits`: says whether the cells of a column can have the role. */
export function rolesByName(
  names: readonly string[],
  fits: (role: Role, at: number) => boolean = () => true,
): Partial<Record<Role, number>> {
  const plain = names.map(plainName)
  const taken = new Set<number>()
  const found: Partial<Record<Role, number>> = {}
  for (const [role, patterns] of NAMES)
    for (const pattern of patterns) {
      const at = plain.findIndex(
        (name, index) => name !== '' && !taken.has(index) && pattern.test(name) && fits(role, index),
      )
      if (at < 0) continue
      found[role] = at
      taken.add(at)
      break
    }
  return found
}

export const mayNameOrder = (name: string) => ORDERS.test(plainName(name))

const DOTTED = /^\d{1,2}\. ?\d{1,2}\. ?\d{2,4}(?!\d)/
export type Days = ReadonlyMap<DayOrder, number>
const kept = new Map<string, Days>()
const DAYS_KEPT = 5_000

/** Returns the time that the text is under each order of a day, in UTC. Empty for anything that is no time. */
export function daysOf(text: string): Days {
  const known = kept.get(text)
  if (known !== undefined) return known
  // Wherever days are written with points, the day comes before the month.
  const orders = DOTTED.test(text) ? DAY_ORDERS.filter((order) => order !== 'mdy') : DAY_ORDERS
  const days = new Map<DayOrder, number>()
  for (const order of orders) {
    const at = readTime(text, { order, timeZone: 'UTC' })
    if (at) days.set(order, at.getTime())
  }
  if (kept.size >= DAYS_KEPT) kept.clear()
  kept.set(text, days)
  return days
}

/** A day such as 11/11/2026, and one with the name of a month, is the same in each order. */
export const hasTwoDays = (text: string) => new Set(daysOf(text).values()).size > 1

/** A day alone, or one with a time. A short name of a zone is only known with the statement's own. */
export const isDay = (text: string) => /\d/.test(text) && daysOf(text.replace(/ [A-Z]{2,4}$/, '')).size > 0
export const isAmount = (text: string) =>
  /\d/.test(text) && readAmount(text, { digits: 2 }).is !== 'unreadable'
