/** Comparing a statement with the books. The service knows each line that it has read, so the same file again changes nothing. */
import { Readable } from 'node:stream'
import { AppError } from '../../errors.ts'
import { html, type Markup } from '../../pages/html.ts'
import { type Reconciled, reconcile } from '../../reports/reconcile.ts'
import type { ConsolePage, OwnVisit } from '../page.ts'
import { factList, momentText } from '../parts.ts'
import { refusalOf } from '../refusals.ts'
import { say } from '../words/say.ts'
import { viewOf, writing } from '../world.ts'
import { accountScreen } from './account.ts'
import { columnsScreen } from './columns.ts'

export const statementForm: ConsolePage = {
  method: 'post',
  path: '/:world/statements/:account',
  needs: 'reconcile statement',
  hasFiles: true,
  async handle(visit) {
    const { locale, params, files } = visit
    const accountId = params.account ?? ''
    const bytes = files.statement
    if (!bytes) return accountScreen(visit, { problem: say(locale, 'statementMissing') })
    const file = { open: () => Readable.from([bytes]) }
    try {
      const ctx = writing(visit, 'reconcile statement', accountId)
      const result = await reconcile(ctx, accountId, { file, format: undefined })
      return accountScreen(visit, { result: await resultOf(visit, result) })
    } catch (error) {
      if (error instanceof AppError && error.details.reason === 'statement_columns')
        return columnsScreen(visit, file)
      return accountScreen(visit, { problem: refusalOf(locale, error) })
    }
  },
}

async function resultOf(visit: OwnVisit, result: Reconciled): Promise<Markup> {
  const { locale } = visit
  const { timeZone } = await viewOf(visit)
  const { newLines, missingHere, missingThere, differing, complete } = result
  const wrong = missingHere + missingThere + differing
  const at = (moment: Date) => momentText(moment, locale, timeZone)
  const some = (count: number) => (count > 0 ? String(count) : null)
  const outcome =
    wrong > 0 ? say(locale, 'statementDiffers', { count: String(wrong) }) : say(locale, 'statementAgrees')
  return html`<p class="sentence" role="status">${newLines === 0 ? `${say(locale, 'statementKnown')} ` : null}${outcome}</p>
    ${complete === null ? html`<p>${say(locale, 'statementShort')}</p>` : null}
    ${factList([
      [say(locale, 'statementTime'), `${at(result.from)} – ${at(result.until)}`],
      [say(locale, 'linesRead'), String(result.lines)],
      [say(locale, 'linesNew'), String(newLines)],
      [say(locale, 'linesMatched'), String(result.matched)],
      [say(locale, 'difference_missing_here'), some(missingHere)],
      [say(locale, 'difference_missing_there'), some(missingThere)],
      [say(locale, 'difference_differing'), some(differing)],
      [say(locale, 'settledNow'), some(result.settled)],
      [say(locale, 'waitsForNext'), some(result.waiting)],
      [say(locale, 'otherLines'), some(result.fees + result.payouts + result.others)],
    ])}`
}
