/** Which lines have moved money, where a column says how each ended. Words that nobody knows are asked about. */
import type { Evidence } from './evidence.ts'
import type { StatementFormat } from './format.ts'
import type { Question } from './question.ts'

const MOVED =
  /^(ok|done|completed?|success(ful)?|succeeded|booked?|posted|settled|cleared|paid|processed|executed|approved|accepted|finished|исполнен[оа]?|проведен[оа]?|выполнен[оа]?|завершен[оа]?|успешно|gebucht|ausgeführt|erledigt|կատարված|ավարտված|հաջողված)$/i
const MOVED_NOTHING =
  /^(failed|failure|declined|rejected|denied|refused|cancell?ed|void(ed)?|reverted|reversed|expired|pending|processing|in progress|on hold|authori[sz]ed|отклонен[оа]?|отменен[оа]?|ошибка|в обработке|ожидает|не исполнен[оа]?|vorgemerkt|abgelehnt|storniert|offen|մերժված|չեղարկված|ընթացքում)$/i

type Decided = { statuses?: string[]; questions: Question[] }

/** A cell without a word says nothing against its line. */
export function decideStatuses({ columns, statuses }: StatementFormat, { words }: Evidence): Decided {
  if (columns.status === undefined || statuses !== undefined) return { questions: [] }
  const all = [...words.status.keys()].filter((word) => word !== '')
  const plain = (word: string) => word.toLowerCase().replaceAll('ё', 'е')
  const moved = all.filter((word) => MOVED.test(plain(word)))
  const unknown = all.filter((word) => !moved.includes(word) && !MOVED_NOTHING.test(plain(word)))
  if (unknown.length === 0)
    return moved.length === all.length ? { questions: [] } : { statuses: moved, questions: [] }
  return all.length === 1 ? { questions: [] } : { questions: [{ about: 'status', words: all }] }
}
