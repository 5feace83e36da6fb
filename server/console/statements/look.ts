/** An uploaded statement: what it leaves open is asked, then it is shown as understood, and only then it is stored. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type ChangedLine, type Examined, examineStatement } from '../../reports/examine.ts'
import { ENCODINGS } from '../../reports/reading/encoding.ts'
import { rolesFound } from '../../reports/reading/guess.ts'
import { READY_NAMES } from '../../reports/reading/ready.ts'
import { reconcile } from '../../reports/reconcile.ts'
import { openUpload } from '../../reports/uploads.ts'
import { deleteUpload } from '../../storage/reports/uploads.ts'
import { DAY_ORDERS } from '../../written/time.ts'
import { findOwn } from '../accounts/own.ts'
import { alertOf, field, hiddenFields, type Option, selectField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Shown } from '../page.ts'
import { backTo } from '../page-parts.ts'
import { addressWith } from '../parts.ts'
import { refusalOf } from '../refusals.ts'
import { translate } from '../words/translate.ts'
import { writing } from '../world.ts'
import { answersIn, type FormAnswers, fieldsOf } from './answers.ts'
import { columnsScreen } from './columns.ts'
import { changedPart, previewPart } from './preview.ts'
import { questionPart } from './questions.ts'
import { sealResult } from './result.ts'

const PATH = '/:world/statements/:account/uploads/:upload'

export const lookAtStatement: ConsolePage = {
  method: 'get',
  path: PATH,
  needs: 'reconcile statement',
  handle: (visit) => lookScreen(visit, answersIn(visit.query)),
}

export const storeStatementForm: ConsolePage = {
  method: 'post',
  path: PATH,
  needs: 'reconcile statement',
  async handle(visit) {
    const { locale, params, form, user } = visit
    const accountId = (await findOwn(visit)).account.accountId
    const ctx = writing(visit, 'reconcile statement', accountId)
    const file = await openUpload(ctx, accountId, params.upload ?? '')
    const answers = answersIn(form)
    try {
      const examined = await examineStatement(ctx, accountId, { file, ...answers })
      if (!examined.preview) return lookScreen(visit, answers)
      const result = await reconcile(ctx, accountId, examined, { by: user.name })
      await deleteUpload(ctx.db, accountId, params.upload ?? '')
      // A person who comes back from a difference must not be asked to send the file again.
      const query = new URLSearchParams({ result: sealResult(ctx, accountId, result) })
      return { kind: 'redirect', to: `/${params.world}/statements/${accountId}?${query}` }
    } catch (error) {
      return lookScreen(visit, answers, refusalOf(locale, error))
    }
  },
}

async function lookScreen(visit: OwnVisit, answers: FormAnswers, problem?: string): Promise<Shown> {
  const { locale, params } = visit
  const { view, account } = await findOwn(visit)
  const { accountId } = account
  const file = await openUpload(view.ctx, accountId, params.upload ?? '')
  const path = `/${view.world}/statements/${accountId}/uploads/${params.upload}`
  const screen = (body: Markup, status?: number): Shown => {
    const title = translate(locale, 'lookTitle')
    return {
      kind: 'screen',
      title,
      body: html`<div class="narrow">
        <h1>${title}</h1>
        ${alertOf(problem)}
        ${body}
        ${backTo(`/${view.world}/statements/${accountId}`, translate(locale, 'otherFile'))}
      </div>`,
      ...(status !== undefined && { status }),
    }
  }
  let examined: Examined
  try {
    examined = await examineStatement(view.ctx, accountId, { file, ...answers })
  } catch (error) {
    const why = refusalOf(locale, error)
    return screen(
      html`${problem === undefined ? alertOf(why) : null}${otherReading(locale, path, answers)}`,
      422,
    )
  }
  const { understanding } = examined
  const [question] = understanding.questions
  if (question?.about === 'columns') {
    const { layout } = understanding.table
    return columnsScreen(visit, layout, {
      values: rolesFound(layout),
      problem: translate(locale, 'refused_statementColumns'),
    })
  }
  if (question)
    return screen(
      html`<p>${translate(locale, 'askedWhy')}</p>${questionPart({ locale, path, answers }, question)}${otherReading(locale, path, answers)}`,
    )
  return screen(html`${readyPart(locale, path, answers, examined)}${otherReading(locale, path, answers)}`)
}

/** A file that is understood: its lines, and storing them. */
function readyPart(
  locale: Locale,
  path: string,
  answers: FormAnswers,
  { understanding, preview, changed }: Examined,
): Markup {
  if (!preview) throw new Error('Bug! A statement without questions has a preview.')
  const shown = previewPart(locale, understanding, preview)
  if (changed.length > 0) return html`${correction(locale, path, answers, changed)}${shown}`
  const store = html`<form method="post" action=${path} class="fields">
    ${hiddenFields(fieldsOf(answers))}
    <button class="button">${translate(locale, 'storeLines', { count: preview.lines })}</button>
  </form>`
  return html`<p>${translate(locale, preview.lines === 0 ? 'refused_statementEmpty' : 'nothingStored')}</p>
    ${preview.lines === 0 ? null : store}${shown}`
}

/** Lines that an earlier statement has with another amount. Nothing is stored until a person says which file is right. */
function correction(
  locale: Locale,
  path: string,
  answers: FormAnswers,
  changed: readonly ChangedLine[],
): Markup {
  const replaces = [...new Set([...answers.replaces, ...changed.flatMap(({ digests }) => digests)])]
  const to = addressWith(path, fieldsOf({ ...answers, replaces }))
  return html`<p class="alert" role="alert">${translate(locale, 'refused_statementChanged')}</p>
    ${changedPart(locale, changed)}
    <p><a class="button" href=${to}>${translate(locale, 'thisOneIsRight')}</a></p>`
}

/** Every answer can be given without being asked. */
function otherReading(locale: Locale, path: string, { answers, replaces, format }: FormAnswers): Markup {
  const asItIs: Option = ['', translate(locale, 'asFileShows')]
  const select = (name: string, label: string, options: readonly Option[], value: string | undefined) =>
    selectField(name, label, [asItIs, ...options], value ?? '')
  const plain = (all: readonly string[]) => all.map((each): Option => [each, each])
  const { statuses, credit, equalIds } = answers
  const kept = fieldsOf({ answers: { statuses, credit, equalIds }, replaces, format: undefined })
  return html`<details>
    <summary>${translate(locale, 'readOtherwise')}</summary>
    <form method="get" action=${path} class="fields">
      ${hiddenFields(kept)}
      ${select('format', translate(locale, 'fileFormat'), plain(READY_NAMES), format)}
      ${select('encoding', translate(locale, 'encoding'), plain(ENCODINGS), answers.encoding)}
      ${select(
        'dates',
        translate(locale, 'dateOrder'),
        DAY_ORDERS.map((each) => [each, translate(locale, `dates_${each}`)]),
        answers.dates,
      )}
      ${select(
        'decimalSign',
        translate(locale, 'decimalSign'),
        (['.', ','] as const).map((each) => [each, `12${each}50`]),
        answers.decimalSign,
      )}
      ${select('threeDecimals', translate(locale, 'threeDecimals'), [['true', translate(locale, 'threeDecimalsYes')]], answers.threeDecimals ? 'true' : '')}
      ${select(
        'unsigned',
        translate(locale, 'unsignedAmounts'),
        [
          ['came', translate(locale, 'moneyCame')],
          ['went', translate(locale, 'moneyWent')],
        ],
        answers.unsigned,
      )}
      ${select(
        'feeSign',
        translate(locale, 'feeSign'),
        [
          ['plus', translate(locale, 'feePlus')],
          ['minus', translate(locale, 'feeMinus')],
        ],
        answers.feeSign,
      )}
      ${field({ name: 'currency', label: translate(locale, 'fixedCurrency'), value: answers.currency ?? '', hint: translate(locale, 'fixedCurrencyHint'), isOptional: true })}
      ${field({ name: 'timeZone', label: translate(locale, 'statementZone'), value: answers.timeZone ?? '', hint: translate(locale, 'zoneHint'), isOptional: true })}
      <button class="button quiet">${translate(locale, 'readAgain')}</button>
    </form>
    <p><a href=${`${path}/columns`}>${translate(locale, 'columnsTitle')}</a></p>
  </details>`
}
