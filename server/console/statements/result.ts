/**
 * What a comparison has found. It is kept nowhere, so the address carries it, sealed: nobody can make a link that tells an operator of
 * a comparison that never was.
 */
import type { Context } from '../../context.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { Reconciled } from '../../reports/reconcile.ts'
import { factList, momentText } from '../parts.ts'
import { translate } from '../words/translate.ts'

type At = Pick<Context, 'vault' | 'world'>
const placeOf = ({ world }: At, accountId: string) => [world, accountId, 'statement result'] as const

export function sealResult(ctx: At, accountId: string, result: Reconciled): string {
  const { keyId, sealed } = ctx.vault.seal(JSON.stringify(result), placeOf(ctx, accountId))
  return `${keyId}.${sealed.toString('base64url')}`
}

/** Returns null for anything that was not sealed here. */
export function openResult(ctx: At, accountId: string, text: string | undefined): Reconciled | null {
  const [, keyId = '', sealed = ''] = /^([^.]{1,64})\.([\w-]{1,2000})$/.exec(text ?? '') ?? []
  try {
    const opened = ctx.vault.open(
      { keyId, sealed: Buffer.from(sealed, 'base64url') },
      placeOf(ctx, accountId),
    )
    const result = JSON.parse(opened) as Reconciled
    return { ...result, from: new Date(result.from), until: new Date(result.until) }
  } catch {
    return null
  }
}

export function resultOf(locale: Locale, timeZone: string, result: Reconciled): Markup {
  const { newLines, missingHere, missingThere, differing, complete } = result
  const wrong = missingHere + missingThere + differing
  const at = (moment: Date) => momentText(moment, locale, timeZone)
  const some = (count: number) => (count > 0 ? String(count) : null)
  const outcome =
    wrong > 0
      ? translate(locale, 'statementDiffers', { count: String(wrong) })
      : translate(locale, 'statementAgrees')
  return html`<p class="sentence" role="status">${newLines === 0 ? `${translate(locale, 'statementKnown')} ` : null}${outcome}</p>
    ${complete === null ? html`<p>${translate(locale, 'statementShort')}</p>` : null}
    ${factList([
      [translate(locale, 'statementTime'), `${at(result.from)} – ${at(result.until)}`],
      [translate(locale, 'linesRead'), String(result.lines)],
      [translate(locale, 'linesNew'), String(newLines)],
      [translate(locale, 'linesMatched'), String(result.matched)],
      [translate(locale, 'difference_missing_here'), some(missingHere)],
      [translate(locale, 'difference_missing_there'), some(missingThere)],
      [translate(locale, 'difference_differing'), some(differing)],
      [translate(locale, 'settledNow'), some(result.settled)],
      [translate(locale, 'waitsForNext'), some(result.waiting)],
      [translate(locale, 'otherLines'), some(result.fees + result.payouts + result.others)],
    ])}`
}
