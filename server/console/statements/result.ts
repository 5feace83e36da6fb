/**
 * What a comparison has found. It is kept nowhere, so the address carries it, sealed: nobody can make a link that tells an operator of
 * a comparison that never was.
 */
import type { Context } from '../../context.ts'
import { html, type Markup } from '../../pages/html.ts'
import type { Locale } from '../../pages/words/locale.ts'
import type { Reconciled } from '../../reports/reconcile.ts'
import { factList, momentText } from '../parts.ts'
import { say } from '../words/say.ts'

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
