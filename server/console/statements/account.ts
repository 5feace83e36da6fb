/** The statements of one account: the form for one, and the differences that are open. */
import { may } from '../../acts/policy.ts'
import { AppError } from '../../errors.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { type Finding, listFindings } from '../../reports/findings.ts'
import { keepUpload } from '../../reports/uploads.ts'
import { listFiles } from '../../reports/withdraw.ts'
import { findOwn } from '../accounts/own.ts'
import { caseAddress } from '../desk/list.ts'
import { formPage } from '../form-page.ts'
import { fileField } from '../form-parts.ts'
import type { ConsolePage, OwnVisit, Screen } from '../page.ts'
import { backTo, orWhoMay, wideScreen } from '../page-parts.ts'
import { addressWith, momentText, moreLink, statedText } from '../parts.ts'
import { translate } from '../words/translate.ts'
import { worldOf } from '../world.ts'
import { DIGEST_SHOWN, filesPart } from './files.ts'
import { openResult, resultOf } from './result.ts'

const PAGE = 25

export const accountStatements: ConsolePage = {
  method: 'get',
  path: '/:world/statements/:account',
  needs: 'reconcile list',
  handle: (visit) => accountScreen(visit),
}

/** @throws AppError not_found */
async function accountScreen(visit: OwnVisit, problem?: string): Promise<Screen> {
  const { locale, query } = visit
  const { view, account } = await findOwn(visit)
  const { ctx, world, timeZone } = view
  const { accountId, route, driver } = account
  const result = openResult(ctx, accountId, query.result)
  const after = readPosition(query.after)
  const { findings, next } = await listFindings(ctx, accountId, { after, limit: PAGE })
  const files = await listFiles(ctx, accountId)
  const title = translate(locale, 'statementsOf', { account: `${route} · ${driver}` })
  const path = `/${world}/statements/${accountId}`
  const more = next && addressWith(path, { after: `${next.foundAt.toISOString()} ${next.id}` })
  const notice = query.done === 'withdrawn' ? translate(locale, 'withdrawnNow') : null
  const body = html`${result && resultOf(locale, timeZone, result)}
    ${result ? null : orWhoMay(visit, 'reconcile statement', uploadForm(locale, path))}
    <h2>${translate(locale, 'openDifferences')}</h2>
    ${findings.length === 0 ? html`<p>${translate(locale, 'differencesNone')}</p>` : null}
    <ul class="rows">${findings.map((each) => findingRow(locale, { world, accountId, timeZone }, each))}</ul>
    ${moreLink(locale, more)}
    ${filesPart(locale, { path, timeZone, mayWithdraw: may(visit.user, 'reconcile withdraw') }, files)}
    ${result ? html`<p><a class="button quiet" href=${path}>${translate(locale, 'nextStatement')}</a></p>` : null}
    ${backTo(`/${world}/statements`, translate(locale, 'statementsTitle'))}`
  return wideScreen({ title, body, problem, notice })
}

function uploadForm(locale: Locale, path: string): Markup {
  return html`<form method="post" action=${path} enctype="multipart/form-data" class="fields">
    ${fileField({
      name: 'statement',
      label: translate(locale, 'statementFile'),
      hint: translate(locale, 'statementFileHint'),
      accept: '.csv,.txt,.tsv,.xlsx,.xml,.sta,.mt940,.940,.ofx,.qfx,text/csv,text/plain',
      isRequired: true,
    })}
    <button class="button">${translate(locale, 'lookAtFile')}</button>
  </form>`
}

type Where = { world: string; accountId: string; timeZone: string }

/** Each leads to its case, where it is decided. */
function findingRow(locale: Locale, { world, accountId, timeZone }: Where, each: Finding): Markup {
  const { id, kind, side, oursMinor, theirsMinor, currency, theirCurrency, advice, foundAt } = each
  const { statementFile, statementLine, statementDay } = each
  const place = [
    statementFile?.slice(0, DIGEST_SHOWN) ?? null,
    statementLine === null ? null : translate(locale, 'lineNumber', { line: String(statementLine) }),
    momentText(statementDay, locale, timeZone),
  ]
  const here = statedText(oursMinor, currency, locale)
  const there = statedText(theirsMinor, theirCurrency, locale)
  return html`<li>
    <a href=${caseAddress(world, { kind: 'difference', subject: id, accountId })} class="row" data-kind=${kind}>
      <strong>${translate(locale, `difference_${kind}`)}</strong>
      <span class="hint">${translate(locale, `side_${side}`)}: ${translate(locale, 'bothSides', { here, there })}</span>
      <span class="hint">${place.filter((part) => part !== null).join(', ')}</span>
      <span class="hint">${translate(locale, `todo_${advice}`)} ${momentText(foundAt, locale, timeZone)}</span>
    </a>
  </li>`
}

/** A position is the time and the id of a difference. Any other text is the beginning. */
function readPosition(after: string | undefined): { foundAt: Date; id: string } | undefined {
  const [, time = '', id = ''] = /^(\d{4}-\d\d-\d\dT[\d:.]+Z) (.{1,300})$/.exec(after ?? '') ?? []
  const foundAt = new Date(time)
  return Number.isNaN(foundAt.getTime()) ? undefined : { foundAt, id }
}

export const statementForm = formPage({
  path: '/:world/statements/:account',
  needs: 'reconcile statement',
  hasFiles: true,
  again: accountScreen,
  async send(visit) {
    const { file, params } = visit
    const { accountId } = (await findOwn(visit)).account
    const bytes = file('statement')
    if (!bytes) throw new AppError('validation_failed', { errors: { statement: 'is missing' } })
    // An upload is not in the books, so it leaves no row in the log. Storing it does.
    const id = await keepUpload(worldOf(visit), accountId, bytes)
    return `/${params.world}/statements/${accountId}/uploads/${id}`
  },
})
