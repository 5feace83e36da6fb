/** The statements of an account that were read. */
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { FileRecord } from '../../storage/reports/files.ts'
import { momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'

/** How many characters of its digest name a statement, as on the command line. */
export const DIGEST_SHOWN = 12

type Where = { path: string; timeZone: string; mayWithdraw: boolean }

export function filesPart(
  locale: Locale,
  { path, timeZone, mayWithdraw }: Where,
  files: readonly FileRecord[],
): Markup {
  if (files.length === 0) return null
  const at = (moment: Date) => momentText(moment, locale, timeZone)
  const row = ({ digest, fromAt, untilAt, lines, readAt, withdrawnAt }: FileRecord) => html`
    <strong>${at(fromAt)} – ${at(untilAt)}</strong>
    <span>${withdrawnAt === null ? null : translate(locale, 'withdrawn')}</span>
    <span class="hint">${translate(locale, 'linesRead')}: ${String(lines)} · ${at(readAt)} · ${digest.slice(0, DIGEST_SHOWN)}</span>`
  return html`<h2>${translate(locale, 'filesRead')}</h2>
    <ul class="rows">${files.map(
      (each) =>
        html`<li>${
          mayWithdraw
            ? html`<a class="row" href=${`${path}/files/${each.digest}`}>${row(each)}</a>`
            : html`<div class="row">${row(each)}</div>`
        }</li>`,
    )}</ul>`
}
