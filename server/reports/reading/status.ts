/**
 * Which lines have moved money, by the words of a column.
 * Rule: words that nobody knows are asked about. A pending or a refused transfer must not count as money.
 */
import type { Layout } from './describe.ts'
import type { Evidence } from './evidence.ts'
import type { StatementFormat } from './format.ts'
import type { Question, Remark } from './question.ts'

/** What the whole file decides about how it is read, and what it leaves open. */
type PartialDecision = Omit<Partial<StatementFormat>, 'columns'> & {
  columns?: Partial<StatementFormat['columns']>
}
export type Decided = { decided: PartialDecision; questions: Question[]; remarks: Remark[] }
export type FileFacts = { evidence: Evidence; layout: Layout; now: Date }

export const none = (): Decided => ({ decided: {}, questions: [], remarks: [] })

const MOVED = new RegExp(
  `^(?:${[
    'ok|done|completed?|success(?:ful)?|succeeded|booked?|posted|settled|cleared|paid|processed|executed|approved|accepted|finished',
    'исполнен[оа]?|проведен[оа]?|выполнен[оа]?|завершен[оа]?|успешно|կատարված|ավարտված|հաջողված',
    '(?:umsatz )?gebucht|ausgeführt|erledigt|udført|bogført|gennemført|utförd|bokförd|bokført|verwerkt|uitgevoerd|geboekt',
    'zaksięgowan[aeoy]|wykonan[aeoy]|zrealizowan[aeoy]|zaúčtován[aoy]?|proveden[aoy]?|contabilizad[ao]|completad[ao]|realizad[ao]',
    'contabilizzat[ao]|eseguit[ao]|comptabilisée?|exécutée?|effectuée?|gerçekleşti|tamamlandı',
  ].join('|')})$`,
  'i',
)
const MOVED_NOTHING = new RegExp(
  `^(?:${[
    'failed|failure|declined|rejected|denied|refused|cancell?ed|void(?:ed)?|reverted|reversed|expired|pending|processing|in progress|on hold|authori[sz]ed',
    'отклонен[оа]?|отменен[оа]?|ошибка|в обработке|ожидает|не исполнен[оа]?|մերժված|չեղարկված|ընթացքում',
    '(?:umsatz )?vorgemerkt(?: und nicht gebucht)?|abgelehnt|storniert|offen|venter|afvist|annulleret|väntar|avbruten|venter på.*',
    'in behandeling|geweigerd|geannuleerd|oczekując[aey]|odrzucon[aey]|anulowan[aey]|čekající|zamítnut[aoy]?|pendiente|rechazad[ao]|anulad[ao]|pendente|recusad[ao]',
    'in sospeso|rifiutat[ao]|annullat[ao]|en attente|refusée?|annulée?|beklemede|reddedildi',
  ].join('|')})$`,
  'i',
)
const plain = (word: string) => word.toLowerCase().replaceAll('ё', 'е')
const hasMoved = (word: string) => MOVED.test(plain(word))
const hasMovedNothing = (word: string) => MOVED_NOTHING.test(plain(word))
const filledOf = (words: Iterable<string>) => [...words].filter((word) => word !== '')

export function decideStatus(format: StatementFormat, { evidence, layout }: FileFacts): Decided {
  const { columns, statuses, wordsKnown } = format
  // Kinds of lines say already which of them moved money.
  const isOfKinds = Object.keys(format.kinds).length > 0
  if (columns.status === undefined)
    return isOfKinds ? none() : { ...none(), decided: findStatuses({ evidence, layout }) }
  const all = filledOf(evidence.words.status.keys())
  const question: Decided = { ...none(), questions: [{ about: 'status', words: all }] }
  const isNew = (word: string) =>
    wordsKnown !== undefined && !wordsKnown.includes(word) && !hasMovedNothing(word)
  if (statuses !== undefined) return all.some(isNew) ? question : none()
  const moved = all.filter(hasMoved)
  if (all.some((word) => !hasMoved(word) && !hasMovedNothing(word))) return question
  // An empty cell does not exclude its line.
  return { ...none(), decided: moved.length === all.length ? {} : { statuses: moved } }
}

/** Whether the words say which lines moved money, and say about some that they moved none. */
export const isOfStatuses = (words: readonly string[]) =>
  words.some(hasMovedNothing) && words.every((word) => hasMoved(word) || hasMovedNothing(word))

/** A column with another name may say it too. It counts if it has nothing but such words, and some lines have moved nothing. */
function findStatuses({ evidence, layout }: Omit<FileFacts, 'now'>): Decided['decided'] {
  for (const [at, words] of evidence.few) {
    const all = filledOf(words.keys())
    const name = layout.names[at] ?? ''
    if (isOfStatuses(all) && name !== '') return { columns: { status: name }, statuses: all.filter(hasMoved) }
  }
  return {}
}
