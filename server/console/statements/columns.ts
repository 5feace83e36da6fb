/** Saying once what the columns of an account's statements are. A first guess is filled in. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { examineStatement, setStatementFormat } from '../../reports/examine.ts'
import type { Layout } from '../../reports/reading/describe.ts'
import { rolesFound } from '../../reports/reading/guess.ts'
import { openUpload } from '../../reports/uploads.ts'
import { LINE_KINDS } from '../../storage/reports/statements.ts'
import { DAY_ORDERS } from '../../written/time.ts'
import { findOwn } from '../accounts/own.ts'
import { field, type Option, selectField, textArea } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { factList } from '../parts.ts'
import { refusalOf } from '../refusals.ts'
import { translate } from '../words/translate.ts'
import { writing } from '../world.ts'

const COLUMNS_MAX = 60
const COLUMN_CHARS_MAX = 100
const PATH = '/:world/statements/:account/uploads/:upload/columns'
/** Each is the choice of one column. Most statements need only the first ones. */
const SINGLE = ['at', 'amount', 'debit', 'credit', 'currency', 'id'] as const
const SINGLE_RARE = [
  'time',
  'zone',
  'fee',
  'feeCurrency',
  'feeDirection',
  'direction',
  'kind',
  'status',
  'payout',
  'paidAmount',
  'paidCurrency',
] as const
/** Each of these may be any number of columns. */
const LISTS = ['orders', 'texts', 'movements'] as const
type Name = (typeof SINGLE)[number] | (typeof SINGLE_RARE)[number] | (typeof LISTS)[number]

/** The columns can be said without being asked, too. */
export const columnsPage: ConsolePage = {
  method: 'get',
  path: PATH,
  needs: 'reconcile format',
  async handle(visit) {
    const layout = await layoutOf(visit)
    return columnsScreen(visit, layout, { values: rolesFound(layout) })
  },
}

export const formatForm: ConsolePage = {
  method: 'post',
  path: PATH,
  needs: 'reconcile format',
  async handle(visit) {
    const { form, locale, params } = visit
    const { accountId } = (await findOwn(visit)).account
    const layout = await layoutOf(visit)
    try {
      const format = formatOf(form, layout)
      await setStatementFormat(writing(visit, 'reconcile format', accountId), accountId, format)
    } catch (error) {
      return columnsScreen(visit, layout, { values: form, problem: refusalOf(locale, error) })
    }
    return { kind: 'redirect', to: `/${params.world}/statements/${accountId}/uploads/${params.upload}` }
  },
}

async function layoutOf(visit: OwnVisit): Promise<Layout> {
  const { view, account } = await findOwn(visit)
  const file = await openUpload(view.ctx, account.accountId, visit.params.upload ?? '')
  const wanted = { file, format: undefined, answers: {} }
  return (await examineStatement(view.ctx, account.accountId, wanted)).understanding.table.layout
}

function formatOf(form: Record<string, string>, { head, names }: Layout): object {
  const single = [...SINGLE, ...SINGLE_RARE].filter((name) => form[name]).map((name) => [name, form[name]])
  const lists = LISTS.map((name) => [name, names.filter((_, at) => form[`${name}-${at}`] === 'yes')])
  const kinds = LINE_KINDS.flatMap((kind) => wordsOf(form[`words_${kind}`]).map((word) => [word, kind]))
  const { kind, ...columns } = Object.fromEntries([...single, ...lists])
  const statuses = wordsOf(form.statusWords)
  const answered = ['decimalSign', 'dates', 'timeZone', 'units', 'otherKinds'].filter((name) => form[name])
  return {
    ...(head.rows === 0 && { head: 'none' }),
    // A column of kinds without its words would turn every line into one of an unknown kind, so leave it out.
    ...(kinds.length > 0 ? { columns: { ...columns, kind }, kinds: Object.fromEntries(kinds) } : { columns }),
    ...(form.creditWord && { credit: form.creditWord.trim() }),
    ...(statuses.length > 0 && { statuses }),
    ...(form.fixedCurrency && { currency: form.fixedCurrency.trim().toUpperCase() }),
    ...Object.fromEntries(answered.map((name) => [name, form[name]])),
  }
}

/** A word on each line. */
const wordsOf = (text = '') =>
  text
    .split(/\r?\n/)
    .map((word) => word.trim())
    .filter((word) => word !== '')

type Given = { values: Record<string, string>; problem?: string }

export async function columnsScreen(
  visit: OwnVisit,
  layout: Layout,
  { values, problem }: Given,
): Promise<Screen> {
  const { locale, params } = visit
  const columns = layout.names.slice(0, COLUMNS_MAX).map((name) => name.slice(0, COLUMN_CHARS_MAX))
  const title = translate(locale, 'columnsTitle')
  const path = `/${params.world}/statements/${params.account}`
  const one = (name: Name) => columnField(locale, name, columns, values[name] ?? '')
  const lineOf = columns.map((name, at) => [name, layout.sample[at]] as const)
  const body = html`<p>${translate(locale, 'columnsText')}</p>
    <details><summary>${translate(locale, 'firstLine')}</summary>${factList(lineOf)}</details>
    <form method="post" action=${`${path}/uploads/${params.upload}/columns`} class="fields">
      ${SINGLE.map(one)}
      ${LISTS.map((name) => listField(locale, name, columns, values))}
      <details>
        <summary>${translate(locale, 'moreColumns')}</summary>
        ${SINGLE_RARE.map(one)}
        ${LINE_KINDS.map((kind) => wordsField(locale, `words_${kind}`, translate(locale, 'wordsOfKind', { kind: translate(locale, `kind_${kind}`) }), values))}
        ${wordsField(locale, 'statusWords', translate(locale, 'statusWords'), values)}
        ${field({ name: 'creditWord', label: translate(locale, 'creditWord'), value: values.creditWord ?? '', isOptional: true })}
        ${howField(locale, 'otherKinds', ['other', 'sign'], values)}
        ${howField(locale, 'units', ['major', 'minor'], values)}
        ${howField(locale, 'dates', DAY_ORDERS, values)}
        ${selectField(
          'decimalSign',
          translate(locale, 'decimalSign'),
          [
            ['', translate(locale, 'asFileShows')],
            ['.', '12.50'],
            [',', '12,50'],
          ],
          values.decimalSign ?? '',
        )}
        ${field({ name: 'timeZone', label: translate(locale, 'statementZone'), value: values.timeZone ?? '', hint: translate(locale, 'zoneHint'), isOptional: true })}
      </details>
      ${field({ name: 'fixedCurrency', label: translate(locale, 'fixedCurrency'), value: values.fixedCurrency ?? '', hint: translate(locale, 'fixedCurrencyHint'), isOptional: true })}
      <button class="button">${translate(locale, 'keepFormat')}</button>
    </form>`
  return narrowScreen({ title, body, problem, back: [path, translate(locale, 'statementsTitle')] })
}

function columnField(locale: Locale, name: Name, columns: readonly string[], value: string): Markup {
  const none: Option[] = [['', translate(locale, name === 'at' ? 'chooseColumn' : 'noColumn')]]
  const options = [...none, ...columns.map((each): Option => [each, each])]
  return selectField(name, translate(locale, `column_${name}`), options, value)
}

function listField(
  locale: Locale,
  name: (typeof LISTS)[number],
  columns: readonly string[],
  values: Record<string, string>,
): Markup {
  return html`<details>
    <summary>${translate(locale, `column_${name}`)}</summary>
    ${columns.map((column, at) => {
      const id = `${name}-${at}`
      const isOn = values[id] === 'yes' || values[name] === column
      return html`<p class="tick"><input id=${id} name=${id} type="checkbox" value="yes" checked=${isOn} /> <label for=${id}>${column}</label></p>`
    })}
  </details>`
}

const wordsField = (locale: Locale, name: string, label: string, values: Record<string, string>) =>
  textArea({ name, label, value: values[name] ?? '', hint: translate(locale, 'wordsHint'), isOptional: true })

type AnswerField = 'otherKinds' | 'units' | 'dates'

function howField(
  locale: Locale,
  name: AnswerField,
  choices: readonly string[],
  values: Record<string, string>,
): Markup {
  const options = choices.map((each): Option => [each, translate(locale, `${name}_${each}` as 'dates_ymd')])
  const label = translate(locale, name === 'dates' ? 'dateOrder' : name)
  return selectField(name, label, [['', translate(locale, 'asFileShows')], ...options], values[name] ?? '')
}
