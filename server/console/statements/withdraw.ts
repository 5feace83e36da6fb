/** Taking a statement back that was read wrongly, as `reconcile withdraw` does. */
import { withdraw } from '../../acts/rows/statements.ts'
import { html } from '../../pages/html.ts'
import { expectFile } from '../../reports/withdraw.ts'
import { findOwn } from '../accounts/own.ts'
import { formPages } from '../form-page.ts'
import { field } from '../form-parts.ts'
import type { OwnVisit, Screen } from '../page.ts'
import { narrowScreen } from '../page-parts.ts'
import { factList, momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { actFor } from '../world.ts'
import { DIGEST_SHOWN } from './files.ts'

export const WITHDRAW_PAGES = formPages({
  path: '/:world/statements/:account/files/:digest',
  needs: 'reconcile withdraw',
  again: withdrawScreen,
  async send(visit) {
    const { form, params } = visit
    const { accountId } = (await findOwn(visit)).account
    const why = form.why?.trim() || null
    await actFor(visit, withdraw, accountId, { accountId, statement: params.digest ?? '', why })
    return `/${params.world}/statements/${accountId}?done=withdrawn`
  },
})

async function withdrawScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale } = visit
  const { view, account } = await findOwn(visit)
  const { accountId } = account
  const file = await expectFile(view.ctx, accountId, visit.params.digest ?? '')
  const at = (moment: Date | null) => momentText(moment, locale, view.timeZone)
  const title = translate(locale, 'withdrawTitle')
  const back = `/${view.world}/statements/${accountId}`
  const form = html`<p>${translate(locale, 'withdrawText')}</p>
    <form method="post" action=${`${back}/files/${file.digest}`} class="fields">
      ${field({ name: 'why', label: translate(locale, 'withdrawWhy'), isOptional: true })}
      <button class="button danger">${translate(locale, 'withdrawNow')}</button>
    </form>`
  const body = html`${factList([
    [translate(locale, 'statementTime'), `${at(file.fromAt)} – ${at(file.untilAt)}`],
    [translate(locale, 'linesRead'), String(file.lines)],
    [translate(locale, 'readAt'), at(file.readAt)],
    [translate(locale, 'fileDigest'), file.digest.slice(0, DIGEST_SHOWN)],
    [translate(locale, 'withdrawnAt'), at(file.withdrawnAt)],
    [translate(locale, 'withdrawWhy'), file.withdrawnWhy],
  ])}
    ${file.withdrawnAt === null ? form : null}`
  return narrowScreen({ title, body, problem, back: [back, translate(locale, 'statementsTitle')] })
}
