/** Saying once what the columns of an account's statements are. A first guess is filled in. */
import { TIME_ZONE } from '../../contract/time-zone.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { examineFile, setStatementFormat } from '../../reports/examine.ts'
import type { StatementFile } from '../../reports/reading/file.ts'
import { rolesFound } from '../../reports/reading/guess.ts'
import { alertOf, field, type Option, selectField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { factList } from '../parts.ts'
import { doOrTell } from '../refusals.ts'
import { say } from '../words/say.ts'
import { viewOf, writing } from '../world.ts'

const COLUMNS_MAX = 60
const COLUMN_CHARS_MAX = 100
/** Each is the choice of one column. A statement has the first, and amounts in one column or in two. */
const NAMES = [
  'at',
  'amount',
  'debit',
  'credit',
  'currency',
  'id',
  'fee',
  'orders',
  'movements',
  'kind',
  'direction',
  'status',
] as const
const NEEDED: readonly string[] = ['at']
const DATES = ['ymd', 'dmy', 'mdy'] as const
const SIGNS = ['.', ','] as const

/** The file was not read, because nobody has said what its columns are. */
export async function columnsScreen(visit: OwnVisit, file: StatementFile): Promise<Screen> {
  const { layout } = (await examineFile(file)).table
  const { names: columns, sample } = layout
  const shown = columns.slice(0, COLUMNS_MAX).map((name) => name.slice(0, COLUMN_CHARS_MAX))
  return formScreen(visit, shown, { values: rolesFound(layout), sample })
}

export const formatForm: ConsolePage = {
  method: 'post',
  path: '/:world/statements/:account/format',
  needs: 'reconcile format',
  async handle(visit) {
    const { locale, form, params } = visit
    const accountId = params.account ?? ''
    // Browsers send each line break of a field as CRLF.
    const columns = (form.columns ?? '').split(/\r?\n/).slice(0, COLUMNS_MAX)
    return doOrTell(
      locale,
      async () => {
        await setStatementFormat(writing(visit, 'reconcile format', accountId), accountId, formatOf(form))
        return `/${params.world}/statements/${accountId}?done=format`
      },
      (problem) => formScreen(visit, columns, { values: form, problem }),
    )
  },
}

function formatOf(form: Record<string, string>): object {
  const chosen = Object.fromEntries(
    NAMES.filter((name) => form[name]).map((name) => [
      name,
      name === 'orders' || name === 'movements' ? [form[name]] : form[name],
    ]),
  )
  const kinds = { ...wordsOf(form.wordsTaken, 'taken'), ...wordsOf(form.wordsReturned, 'returned') }
  // Without its words the column would make every line one of another kind.
  const { kind: _, ...withoutKind } = chosen
  return {
    ...(Object.keys(kinds).length > 0 ? { columns: chosen, kinds } : { columns: withoutKind }),
    ...(form.creditWord && { credit: form.creditWord.trim() }),
    ...(form.statusWords && { statuses: form.statusWords.split(',').map((word) => word.trim()) }),
    decimalSign: form.decimalSign,
    dates: form.dates,
    timeZone: form.timeZone,
    ...(form.fixedCurrency && { currency: form.fixedCurrency.trim().toUpperCase() }),
  }
}

function wordsOf(text: string | undefined, kind: 'taken' | 'returned'): Record<string, string> {
  const words = (text ?? '').split(',').map((word) => word.trim())
  return Object.fromEntries(words.filter((word) => word !== '').map((word) => [word, kind]))
}

type Given = { values: Record<string, string>; sample?: string[]; problem?: string }

async function formScreen(
  visit: OwnVisit,
  columns: readonly string[],
  { values, sample, problem }: Given,
): Promise<Screen> {
  const { locale, params } = visit
  const { world } = await viewOf(visit)
  const title = say(locale, 'columnsTitle')
  const path = `/${world}/statements/${params.account}`
  const body = html`<div class="narrow">
    <h1>${title}</h1>
    ${alertOf(problem ?? say(locale, 'refused_statementColumns'))}
    <p>${say(locale, 'columnsText')}</p>
    ${sample ? html`<details><summary>${say(locale, 'firstLine')}</summary>${factList(columns.map((name, at) => [name, sample[at]]))}</details>` : null}
    <form method="post" action=${`${path}/format`} class="fields">
      <input type="hidden" name="columns" value=${columns.join('\n')} />
      ${NAMES.map((name) => columnField(locale, name, columns, values[name] ?? ''))}
      ${(['wordsTaken', 'wordsReturned', 'creditWord', 'statusWords'] as const).map((name) =>
        field({
          name,
          label: say(locale, name),
          value: values[name] ?? '',
          hint: say(locale, 'wordsHint'),
          isOptional: true,
        }),
      )}
      ${field({ name: 'fixedCurrency', label: say(locale, 'fixedCurrency'), value: values.fixedCurrency ?? '', hint: say(locale, 'fixedCurrencyHint'), isOptional: true })}
      ${selectField(
        'dates',
        say(locale, 'dateOrder'),
        DATES.map((each) => [each, say(locale, `dates_${each}`)]),
        values.dates ?? 'ymd',
      )}
      ${selectField(
        'decimalSign',
        say(locale, 'decimalSign'),
        SIGNS.map((each) => [each, `12${each}50`]),
        values.decimalSign ?? '.',
      )}
      ${field({ name: 'timeZone', label: say(locale, 'statementZone'), value: values.timeZone ?? TIME_ZONE })}
      <button class="button">${say(locale, 'keepFormat')}</button>
    </form>
    ${backTo(path, say(locale, 'statementsTitle'))}
  </div>`
  return { kind: 'screen', title, body, status: 422 }
}

function columnField(
  locale: Locale,
  name: (typeof NAMES)[number],
  columns: readonly string[],
  value: string,
): Markup {
  const none: Option[] = [['', say(locale, NEEDED.includes(name) ? 'chooseColumn' : 'noColumn')]]
  const options = [...none, ...columns.map((each): Option => [each, each])]
  return selectField(name, say(locale, `column_${name}`), options, value)
}
